import { expect, test } from 'vitest'
import { createActivityJournal } from '../activity-journal.ts'
import { createClock } from '../clock.ts'
import { createTestWorld } from '../exchange/test-world.ts'
import { faultPlanSchema } from './fault-plan.ts'
import { createFaults, NO_HOOKS } from './faults.ts'
import type { RequestContext } from './hooks.ts'

const REQUEST: RequestContext = {
  ref: 'r1',
  method: 'GET',
  route: '/pools',
  address: null,
  credentialId: null,
  remoteAddress: '127.0.0.1',
  userAgent: 'test',
}

function start(faults: readonly object[]) {
  const clock = createClock({ startMs: 0 })
  const journal = createActivityJournal({ clock })
  const active = createFaults({ clock, world: {} as never, record: journal.record })
  active.apply(faultPlanSchema.parse({ description: 'of a test', faults }))
  const request = (seen: Partial<RequestContext> = {}) =>
    active.hooks.request?.map((hook) => hook({ ...REQUEST, ...seen })?.do) ?? null
  return { clock, active, send: request, journal: () => journal.read({ after: 0, limit: 100 }).entries }
}

test('is triggered by requests that match its place and time', () => {
  const { clock, send } = start([
    { fault: 'http-error', where: { routes: ['GET /pools*'] }, when: { afterMs: 10, forMs: 10, every: 2 } },
  ])
  expect(send()).toEqual([undefined])
  clock.advance(10)
  expect([send(), send(), send({ route: '/swaps' }), send(), send()].flat()).toEqual([
    undefined,
    'reject',
    undefined,
    undefined,
    'reject',
  ])
  clock.advance(10)
  expect([send(), send()].flat()).toEqual([undefined, undefined])
})

test('is triggered by the listed matches only', () => {
  const { send, active } = start([
    { fault: 'http-error', where: { routes: ['GET /pools'] }, when: { on: [2, 4] } },
    { fault: 'http-hang', when: { on: [] } },
  ])
  const sent = Array.from({ length: 6 }, () => [send({ route: '/swaps' }), send()])
  expect(sent.flatMap(([other, matching]) => [other, matching?.[0]])).toEqual(
    Array.from({ length: 6 }, (_, index) => [
      [undefined, undefined],
      [1, 3].includes(index) ? 'reject' : undefined,
    ]).flat(),
  )
  expect(active.list().map(({ decisions, triggered }) => [decisions, triggered])).toEqual([
    [6, 2],
    [12, 0],
  ])
})

test('starts with the nth block after the plan, and then by the clock', () => {
  const world = createTestWorld()
  world.mine(5)
  const active = createFaults({ clock: world.clock, world, record: () => 0 })
  const faults = [{ fault: 'http-error', when: { afterBlocks: 2, afterMs: 100, forMs: 50 } }]
  active.apply(faultPlanSchema.parse({ description: 'of a test', faults }))
  const isOn = () => active.hooks.request?.[0]?.(REQUEST) !== undefined
  world.mine()
  world.advance(1)
  expect(isOn()).toBe(false)
  world.mine()
  world.advance(99)
  expect(isOn()).toBe(false)
  world.advance(1)
  expect(isOn()).toBe(true)
  world.advance(50)
  expect(isOn()).toBe(false)
})

test('the same plan and requests give the same decisions; each decision is in the journal', () => {
  const plan = [{ fault: 'http-error', when: { probability: 0.3, times: 5 } }]
  const runs = [1, 2].map(() => {
    const { send, journal, active } = start(plan)
    const decisions = Array.from({ length: 50 }, () => send()?.[0] === 'reject')
    return { decisions, journal: journal(), listed: active.list()[0] }
  })
  expect(runs[0]).toEqual(runs[1])
  expect(runs[0]?.decisions.filter(Boolean)).toHaveLength(5)
  expect(runs[0]?.journal.map((entry) => entry.kind === 'fault' && entry.triggered)).toEqual(
    runs[0]?.decisions,
  )
  expect(runs[0]?.listed).toMatchObject({ place: 0, decisions: 50, triggered: 5 })
})

test('without a plan there are no hooks', () => {
  const { active, send } = start([{ fault: 'http-error' }])
  expect(active.clear()).toBe(1)
  expect([send(), active.hooks, active.list()]).toEqual([null, NO_HOOKS, []])
})
