// The fixed schedules, with clients on a virtual clock: what a right client is shown to do right, and a wrong one to do wrong.
import { expect, test, vi } from 'vitest'
import { CLIENT_RULES } from '../contract/client-rules.ts'
import { EXAMINATION, examine } from './examination.ts'
import { createInProcessRunner, type InProcessClient } from './run-in-process.ts'
import { huntWorldSchema, type RunSchedule } from './schedule.ts'
import { buildStatement, statementSchema } from './statement.ts'
import { createTestClient } from './test-clients.ts'

const world = huntWorldSchema.parse({})
const RULES = CLIENT_RULES.map(({ id }) => id)

async function certify(client: InProcessClient) {
  const runs = await examine({ run: createInProcessRunner(client), world })
  return buildStatement({
    client: { name: 'bot', version: '1.2.0', file: null },
    rules: RULES,
    runs,
    examination: EXAMINATION,
    world,
    breakwater: '0.1.0',
    time: '2026-01-05T00:00:00.000Z',
  })
}

test('a right client passes every duty, each with a witness', async () => {
  const statement = await certify(createTestClient())
  expect(statement.predicate.duties.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(statement.predicate.duties.map(({ rule }) => rule)).toEqual(RULES)
  expect(statement.predicate).toMatchObject({ result: 'pass', findings: [] })
  const find = (id: string) => statement.predicate.duties.find(({ rule }) => rule === id)?.witness
  expect(find('client.controls.unknown-ignored')).toMatchObject({
    schedule: 'feed',
    entry: { kind: 'socket', event: 'sent', control: 'maintenance_announced' },
  })
  expect(find('client.resync.refetches')).toMatchObject({
    schedule: 'feed',
    entry: { event: 'sent', control: 'resync_required' },
  })
  expect(find('client.403.stops')).toMatchObject({ schedule: 'access', entry: { status: 403 } })
  expect(find('client.5xx.bounded')).toMatchObject({ schedule: 'outage', entry: { status: 503 } })
  expect(find('client.message.exact')).toMatchObject({
    schedule: 'undisturbed',
    entry: { route: '/auth/verify', status: 200 },
  })
  expect(statementSchema.parse(JSON.parse(JSON.stringify(statement)))).toEqual(statement)
})

test('a wrong client fails its duty, with a finding, and passes all others', async () => {
  const { predicate } = await certify(createTestClient({ reconnectDelayMs: () => 1000 }))
  const others = predicate.duties.filter(({ verdict }) => verdict !== 'pass')
  expect(others).toMatchObject([{ rule: 'client.reconnect.backs-off', verdict: 'fail' }])
  expect(predicate.result).toBe('fail')
  expect(predicate.findings[0]).toMatchObject({ rule: 'client.reconnect.backs-off', client: 'wallet 4' })
  expect(predicate.findings[0]?.evidence.length).toBeGreaterThan(0)
})

test('a client that only reads is not certified for the rest', async () => {
  const reader: InProcessClient = async ({ profile, fetch, tools, signal }) => {
    while (!signal.aborted) {
      await fetch(`${profile.baseUrl}/pools?limit=5`).then(
        (response) => response.text(),
        () => {},
      )
      await tools.pause(20_000)
    }
  }
  const { predicate } = await certify(reader)
  expect(predicate.result).toBe('inconclusive')
  const passed = predicate.duties.flatMap(({ rule, verdict }) => (verdict === 'pass' ? [rule] : []))
  expect(passed).toContain('client.input.canonical')
  expect(predicate.duties).toContainEqual({
    rule: 'client.ticket.fresh',
    verdict: 'not exercised',
    situations: 0,
    handled: 0,
    violations: 0,
    witness: null,
  })
})

const EXAMINED = EXAMINATION.map(({ name, durationMs }) => ({ name, durationMs }))

test('the first schedule runs alone, the others together, and the result has their order', async () => {
  let running = 0
  const started: { durationMs: number; others: number }[] = []
  const run: RunSchedule = async (_, { durationMs }) => {
    started.push({ durationMs, others: running++ })
    // The longest ends last.
    for (let turns = durationMs / 10_000; turns > 0; turns--) await null
    running--
    const entry = { number: 1, atMs: 0, kind: 'socket', socket: 1, event: 'opened' } as const
    return {
      ...{ taken: [], violations: [], duties: [], exercised: [], situations: [], routes: [], rooms: [] },
      entries: [entry],
      clientEnd: null,
    }
  }
  const progress: number[] = []
  const runs = await examine({ run, world, parallel: 3, onProgress: ({ done }) => progress.push(done) })
  expect(started).toEqual(
    EXAMINED.map(({ durationMs }, place) => ({ durationMs, others: Math.max(0, place - 1) })),
  )
  expect(runs.map(({ name }) => name)).toEqual(EXAMINED.map(({ name }) => name))
  expect(progress.at(-1)).toBe(4)
})

test('a client that does not work without faults is not examined', async () => {
  const run = vi.fn(createInProcessRunner(() => Promise.reject(new Error('no key'))))
  const examined = examine({ run, world, parallel: 3 })
  await expect(examined).rejects.toThrow(
    expect.objectContaining({ message: 'the client failed in a run without faults: no key', exitCode: 3 }),
  )
  expect(run).toHaveBeenCalledTimes(1)
})

test('fits in five minutes of real time', () => {
  const [first = 0, ...others] = EXAMINED.map(({ durationMs }) => durationMs)
  expect(first + Math.max(...others)).toBeLessThanOrEqual(260_000)
})
