// The virtual clock makes runs exact: a real client, the real stub, no network.
import { expect, test } from 'vitest'
import { faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { createInProcessRunner } from './run-in-process.ts'
import { huntWorldSchema } from './schedule.ts'
import { searchSchedules } from './search.ts'
import { createTestClient, marketFollower } from './test-clients.ts'

const world = huntWorldSchema.parse({ durationMs: 100_000 })

test('a right client does its work, and violates nothing', async () => {
  const run = await createInProcessRunner(createTestClient())([], world)
  expect(run.violations).toEqual([])
  expect(run.clientEnd).toBeNull()
  expect(run.situations).toEqual(
    expect.arrayContaining(['signed in', 'subscribed', 'synchronized', 'renewed', 'no socket']),
  )
  expect(run.routes).toEqual(
    expect.arrayContaining(['POST /auth/verify', 'GET /swaps', 'GET /auth/ws-ticket']),
  )
  expect(run.rooms).toEqual(['protocol_config', 'pool_launches', 'balances:*', 'trades:*', 'pool_stats:*'])
})

test('the same schedule ends the same, byte for byte, and so does the one that it took', async () => {
  const run = createInProcessRunner(createTestClient({ reconnectDelayMs: () => 0 }))
  const { faults: schedule } = faultPlanSchema.parse({
    description: 'of a test',
    faults: [
      { fault: 'ws-close', everyMs: 9000 },
      { fault: 'http-error', where: { routes: ['GET /swaps'] }, when: { probability: 0.3 } },
      { fault: 'http-reset', where: { routes: ['GET /swaps'] }, when: { every: 7, times: 5 } },
      {
        fault: 'http-latency',
        where: { routes: ['GET /swaps'] },
        latency: { distribution: 'uniform', minMs: 1, maxMs: 900 },
        when: { every: 3 },
      },
    ],
  })
  const first = await run(schedule, world)
  expect(first.violations.map(({ rule }) => rule)).toContain('client.reconnect.backs-off')
  expect(JSON.stringify(await run(schedule, world))).toBe(JSON.stringify(first))
  const again = await run(first.taken, world)
  expect(JSON.stringify(again)).toBe(JSON.stringify(first))
})

test('runs of one client in different worlds do not share a world', async () => {
  const run = createInProcessRunner(marketFollower)
  const results: string[] = []
  for (const seed of [7, 8, 7, 8]) {
    const { entries } = await run([], huntWorldSchema.parse({ seed, durationMs: 2000 }))
    results.push(JSON.stringify(entries))
  }
  const [first, second] = results
  expect(first).not.toBe(second)
  expect(results).toEqual([first, second, first, second])
})

test('a hunt finds a planted bug, shrinks it, and finds the same again', async () => {
  const wrong = createTestClient({ roomsToJoin: (wanted) => ['balances:0x01', ...wanted] })
  const hunt = () =>
    searchSchedules({
      run: createInProcessRunner(wrong),
      worlds: [world],
      seed: 3,
      schedulesMax: 2,
      isExact: true,
    })
  const report = await hunt()
  expect(report.findings).toMatchObject([
    { rule: 'client.rooms.own-balances', client: 'wallet 4', schedule: 0, minimum: { schedule: null } },
  ])
  expect(report.findings[0]?.minimum.world.durationMs).toBeLessThan(10_000)
  expect(JSON.stringify(await hunt())).toBe(JSON.stringify(report))
})

test('a client that fails, or does nothing, is reported and not judged', async () => {
  const options = { worlds: [world], seed: 1, schedulesMax: 2, isExact: true }
  const failing = createInProcessRunner(() => Promise.reject(new Error('no key')))
  await expect(searchSchedules({ ...options, run: failing })).rejects.toThrow(
    'the client failed in a run without faults: no key',
  )
  const idle = createInProcessRunner(() => {})
  await expect(searchSchedules({ ...options, run: idle })).rejects.toThrow(
    'the client sent nothing to the stub within 100 s',
  )
})
