import { expect, test } from 'vitest'
import type { JournalEntry } from '../simulator/activity-journal.ts'
import { FaultPlanMisfit } from '../simulator/faults/fault-plan.ts'
import {
  type HuntWorld,
  huntWorldSchema,
  type RunSchedule,
  type Schedule,
  type Violation,
} from './schedule.ts'
import { searchSchedules } from './search.ts'

const world: HuntWorld = huntWorldSchema.parse({ durationMs: 8000 })

const violate = (rule: Violation['rule'], shape: string): Violation => ({
  rule,
  client: 'wallet 2',
  shape,
  observed: shape,
  advice: 'Do not.',
  evidence: [],
})

/** A client that violates a rule whenever a fault of this kind is triggered. */
function createModel(judge: (schedule: Schedule) => readonly Violation[]): {
  run: RunSchedule
  ran: Schedule[]
} {
  const ran: Schedule[] = []
  return {
    ran,
    run: async (schedule) => {
      ran.push(schedule)
      return {
        taken: schedule.map((fault) => ({
          ...fault,
          when: { afterMs: 0, afterBlocks: 0, on: [1, 2] },
        })) as Schedule,
        violations: judge(schedule),
        duties: [],
        exercised: ['client.401.replaces'],
        situations: schedule.map(({ fault }) => fault),
        routes: ['GET /swaps'],
        rooms: [],
        entries: [{ number: 1, atMs: 0, kind: 'socket', socket: 1, event: 'opened' }],
        clientEnd: null,
      }
    },
  }
}

const OPENED = { number: 1, atMs: 8000, kind: 'socket', socket: 1, event: 'opened' } as const

/** Spread over eight seconds, without a route. */
function floodEntries(count: number): JournalEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    atMs: (8000 * index) / count,
    kind: 'request',
    ref: 'r',
    method: 'GET',
    route: null,
    status: 404,
  }))
}

test.each([
  [{ clientCpuMs: 7199 }],
  [{ entries: [...floodEntries(998), { ...OPENED, atMs: 4000 }] }],
  [{ entries: [...floodEntries(9999), { ...OPENED, atMs: 51_000 }] }],
])('a client that is busy is judged', async (change) => {
  const { run } = createModel(() => [])
  const busy: RunSchedule = async (...given) => ({ ...(await run(...given)), ...change })
  const report = await searchSchedules({
    run: busy,
    worlds: [world],
    seed: 1,
    schedulesMax: 3,
    isExact: true,
  })
  expect(report.schedules).toBe(3)
})

test('each world is tried without faults first, and then schedules draw theirs', async () => {
  const worlds = [world, { ...world, choices: 'alternative' } as const]
  const { run } = createModel(() => [])
  const seen: [number, string][] = []
  const noted: RunSchedule = (schedule, inWorld) => {
    seen.push([schedule.length, inWorld.choices])
    return run(schedule, inWorld)
  }
  await searchSchedules({ run: noted, worlds, seed: 1, schedulesMax: 20, isExact: true })
  expect(seen.slice(0, 2)).toEqual([
    [0, 'default'],
    [0, 'alternative'],
  ])
  const later = seen.slice(2)
  expect(new Set(later.map(([, choices]) => choices))).toEqual(new Set(['default', 'alternative']))
  expect(later.every(([faults]) => faults > 0)).toBe(true)
})

test('a violation that needs one world is saved with it, although another lacks a route of its schedule', async () => {
  const { run } = createModel(() => [violate('client.429.waits', 'again')])
  const picky: RunSchedule = async (schedule, inWorld) => {
    if (inWorld.choices === 'alternative') return run(schedule, inWorld)
    throw new FaultPlanMisfit(['faults[0].where.routes[0]: "GET /odd" matches no route'])
  }
  const worlds = [{ ...world, choices: 'alternative' } as const]
  const { findings } = await searchSchedules({ run: picky, worlds, seed: 1, schedulesMax: 1, isExact: true })
  expect(findings).toMatchObject([{ minimum: { world: { choices: 'alternative' }, schedule: null } }])
})

const has = (schedule: Schedule, name: string) => schedule.some(({ fault }) => fault === name)

test('finds a violation once, and shrinks it to the decision that it needs', async () => {
  const { run } = createModel((schedule) =>
    has(schedule, 'ws-drop') ? [violate('client.resync.refetches', 'nothing was read')] : [],
  )
  const report = await searchSchedules({ run, worlds: [world], seed: 1, schedulesMax: 30, isExact: false })
  expect(report.schedules).toBe(30)
  expect(report.findings).toMatchObject([
    {
      rule: 'client.resync.refetches',
      reproduced: { times: 3, of: 3 },
      minimum: { schedule: { faults: [{ fault: 'ws-drop', when: { on: [] } }] } },
    },
  ])
  const { duties } = report
  expect(duties.find(({ rule }) => rule === 'client.401.replaces')).toMatchObject({
    exercised: 30,
    violated: 0,
  })
  expect(duties.find(({ rule }) => rule === 'client.resync.refetches')?.violated).toBeGreaterThan(1)
})

test('the same seed runs the same schedules and reports the same', async () => {
  const hunt = async (seed: number) => {
    const { run, ran } = createModel((schedule) =>
      has(schedule, 'http-hang') ? [violate('client.429.waits', 'again')] : [],
    )
    const report = await searchSchedules({ run, worlds: [world], seed, schedulesMax: 12, isExact: true })
    return JSON.stringify({ ran, report })
  }
  expect(await hunt(4)).toBe(await hunt(4))
  expect(await hunt(5)).not.toBe(await hunt(4))
})

test('a minimum is of the same violation, not of another one', async () => {
  // The pair shows one violation, and one of the two alone another.
  const { run } = createModel((schedule) => {
    if (has(schedule, 'http-reset') && has(schedule, 'ws-close')) return [violate('client.429.waits', 'both')]
    return has(schedule, 'ws-close') ? [violate('client.429.waits', 'alone')] : []
  })
  const { findings } = await searchSchedules({
    run,
    worlds: [world],
    seed: 2,
    schedulesMax: 60,
    isExact: true,
  })
  const names = findings.map(({ shape, minimum }) => [
    shape,
    minimum.schedule?.faults.map(({ fault }) => fault).sort(),
  ])
  expect(names.sort()).toEqual([
    ['alone', ['ws-close']],
    ['both', ['http-reset', 'ws-close']],
  ])
})

test('a violation that does not come again is reported as it was found, as not reproduced', async () => {
  let calls = 0
  const { run } = createModel(() => (calls++ === 3 ? [violate('client.429.waits', 'once')] : []))
  const { findings } = await searchSchedules({
    run,
    worlds: [world],
    seed: 1,
    schedulesMax: 6,
    isExact: false,
  })
  expect(findings).toMatchObject([{ shape: 'once', schedule: 3, reproduced: { times: 0, of: 3 } }])
})

test('a client with timing of its own is confirmed by as many runs as at first', async () => {
  // Each third run of the fault shows nothing.
  let calls = 0
  const { run } = createModel((schedule) =>
    has(schedule, 'ws-drop') && calls++ % 3 !== 2 ? [violate('client.429.waits', 'often')] : [],
  )
  const { findings } = await searchSchedules({
    run,
    worlds: [world],
    seed: 1,
    schedulesMax: 10,
    isExact: false,
  })
  expect(findings).toMatchObject([{ reproduced: { times: 2, of: 3 } }])
  expect(findings[0]?.minimum.schedule?.faults).toHaveLength(1)
})

test('runs cases of earlier hunts first', async () => {
  const { run } = createModel((schedule) =>
    has(schedule, 'ws-drop') ? [violate('client.429.waits', 'a')] : [],
  )
  const first = await searchSchedules({ run, worlds: [world], seed: 1, schedulesMax: 10, isExact: true })
  const [minimum] = first.findings.map((finding) => finding.minimum)
  if (!minimum) throw new Error('nothing was found')
  const again = await searchSchedules({
    run,
    worlds: [world],
    seed: 1,
    schedulesMax: 1,
    isExact: true,
    cases: [{ ...minimum, file: 'a.json' }],
  })
  expect(again.cases).toEqual([{ file: 'a.json', finding: minimum.finding, reproduces: true }])
  const { run: fixed } = createModel(() => [])
  const later = await searchSchedules({
    run: fixed,
    worlds: [world],
    seed: 1,
    schedulesMax: 1,
    isExact: true,
    cases: [{ ...minimum, file: 'a.json' }],
  })
  expect(later.cases).toEqual([{ file: 'a.json', finding: minimum.finding, reproduces: false }])
})

test.each([
  [
    { clientEnd: 'exit code 1: no such file' },
    'the client failed in a run without faults: exit code 1: no such file',
  ],
  [{ entries: [] }, 'the client sent nothing to the stub within 8 s'],
  [{ entries: floodEntries(1) }, 'the client requested only paths that the exchange does not have'],
  [{ clientCpuMs: 7200 }, 'the client used 7.2 s of CPU time in a run of 8 s without faults'],
  [
    { entries: [...floodEntries(999), { ...OPENED, atMs: 4000 }] },
    'the client floods the stub: 250 requests and frames per second in a run without faults',
  ],
])('a client that does not work without faults is not judged: %j', async (change, message) => {
  const { run } = createModel(() => [])
  const broken: RunSchedule = async (...given) => ({ ...(await run(...given)), ...change })
  const hunt = searchSchedules({ run: broken, worlds: [world], seed: 1, schedulesMax: 3, isExact: true })
  await expect(hunt).rejects.toThrow(expect.objectContaining({ message, exitCode: 3 }))
})
