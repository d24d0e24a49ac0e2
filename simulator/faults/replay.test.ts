// A plan replays exactly: the same plan and traffic give the same decisions, actions and journal. So does its schedule,
// whatever the seed. The traffic calls every hook; the feed and the world only record what faults do to them.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createActivityJournal } from '../activity-journal.ts'
import { createClock } from '../clock.ts'
import { FAULT_KINDS, type FaultPlan, faultPlanSchema } from './fault-plan.ts'
import { createFaults } from './faults.ts'
import type { SocketContext } from './hooks.ts'

const CLIENTS = [
  { address: 'bw1a', userAgent: 'bot/1', node: 1, rooms: ['trades:1', 'pool_stats:1'] },
  { address: 'bw1b', userAgent: 'page/2', node: 2, rooms: ['pool_stats:1'] },
  { address: 'bw1c', userAgent: 'breakwater-repro slow-client', node: 1, rooms: ['trades:1'] },
]
const REQUESTS = [
  ...['POST /auth/refresh', 'GET /pools', 'GET /pools/:key', 'GET /explore/pools', 'GET /route'],
  ...['GET /swaps', 'GET /fee-tiers', 'GET /protocol/state', 'POST /auth/logout'],
]
const TRAFFIC = {
  afterMs: fc.oneof({ arbitrary: fc.nat(100), weight: 3 }, { arbitrary: fc.nat(20_000), weight: 1 }),
  what: fc.constantFrom('block', 'connect', 'request', 'request', 'burst', 'event', 'event', 'feed'),
  client: fc.constantFrom(...CLIENTS),
  request: fc.constantFrom(...REQUESTS),
}
const traffic = fc.array(fc.record(TRAFFIC), { minLength: 60, maxLength: 120, size: 'max' })
type Traffic = typeof traffic extends fc.Arbitrary<infer Steps> ? Steps : never

/** Everything that the faults of a plan did in this traffic, and the schedule. */
function run(plan: FaultPlan, steps: Traffic) {
  const clock = createClock({ startMs: 0 })
  const journal = createActivityJournal({ clock })
  const actions: unknown[] = []
  const act =
    (name: string, result?: unknown) =>
    (...given: unknown[]) => {
      actions.push([clock.nowMs(), name, ...given])
      return result
    }

  let sockets: SocketContext[] = CLIENTS.map((client, index) => ({ ...client, id: index + 1 }))
  const drop = (id: number) => {
    actions.push([clock.nowMs(), 'drop', id])
    sockets = sockets.filter((socket) => socket.id !== id)
  }
  const feed = {
    sockets: () => sockets,
    close: drop,
    cut: drop,
    mute: act('mute'),
    stall: (id: number) => act('resume', act('stall')(id)),
    sendControl: act('control'),
  }
  let height = 0
  let revision = 1
  const listeners = new Set<() => void>()
  const world = {
    views: { protocolState: () => ({ revision }) },
    lag: () => 0,
    setLag: act('lag'),
    reorg: act('reorg'),
    changeConfig: () => revision++,
    onBlock(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const faults = createFaults({
    clock,
    world: world as never, // as: what faults use
    feed,
    record: journal.record,
    follow: (lagMs) => ({ views: () => lagMs, stop: act('stop', lagMs) }) as never, // as above
  })

  faults.apply(plan)
  for (const [place, { afterMs, what, client, request }] of steps.entries()) {
    clock.advance(afterMs)
    const { hooks } = faults
    const [socket] = sockets
    const [method = '', route = null] = request.split(' ')
    const seen = { ...client, ref: `r${place}`, method, route, credentialId: null, remoteAddress: '::1' }
    const event = { room: `${place % 2 ? 'trades' : 'pool_stats'}:1`, type: 'any', block: height }
    const permission = ['access', 'terms', 'api-token'][place % 3] as 'access' // as: one of three
    const sendRequest = () => [
      hooks.request?.map((hook) => hook(seen)),
      hooks.response?.map((hook) => hook({ ...seen, status: place % 5 ? 200 : 500, body: '{"data":[]}' })),
      hooks.permission?.map((hook) => hook({ ...client, what: permission, sinceMs: null })),
      hooks.lifetime?.map((hook) => hook({ ...client, what: place % 2 ? 'ticket' : 'access-session' })),
    ]
    const RUN = {
      request: sendRequest,
      burst: () => Array.from({ length: 25 }, sendRequest),
      block() {
        if (++height % 4 === 0) revision++
        for (const listener of listeners) listener()
      },
      connect() {
        sockets = [...sockets, { ...client, id: place + 10 }]
        return hooks.upgrade?.map((hook) => hook({ ...client, number: place }))
      },
      event: () => [
        hooks.event?.map((hook) => hook(event)),
        sockets.map((each) => hooks.delivery?.map((hook) => hook({ ...event, socket: each }))),
      ],
      feed: () =>
        socket && [
          hooks.ticket?.map((hook) => hook({ socket, ageMs: place * 10 })),
          hooks.control?.map((hook) => hook({ socket, control: 'synchronized' })),
        ],
    }
    actions.push(RUN[what]())
  }
  const schedule = faultPlanSchema.parse(JSON.parse(JSON.stringify(faults.schedule())))
  faults.clear()
  const { entries } = journal.read({ after: 0, limit: 10_000 })
  return { actions, entries, schedule }
}

/** Returns the number of decisions that triggered a fault, and of those that did not. */
function checkReplay(plan: FaultPlan, steps: Traffic): { yes: number; no: number } {
  const first = run(plan, steps)
  expect(run(plan, steps)).toEqual(first)
  const replayed = run({ ...first.schedule, seed: plan.seed + 1 }, steps)
  expect(replayed).toEqual({ ...first, schedule: replayed.schedule })
  expect(replayed.schedule.faults).toEqual(first.schedule.faults)
  const triggered = first.entries.filter((entry) => entry.kind === 'fault' && entry.triggered).length
  return { yes: triggered, no: first.entries.length - triggered }
}

function checkReplays(plans: fc.Arbitrary<FaultPlan>): { yes: number; no: number } {
  const sum = { yes: 0, no: 0 }
  const property = fc.property(plans, traffic, (plan, steps) => {
    const { yes, no } = checkReplay(plan, steps)
    sum.yes += yes
    sum.no += no
  })
  fc.assert(property, { seed: 1, numRuns: 10, endOnFailure: true })
  return sum
}

const FOLDER = new URL('../../fixtures/faults/', import.meta.url)

test.each(readdirSync(FOLDER))('%s and its schedule replay exactly', (file) => {
  const plan = faultPlanSchema.parse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))
  const { yes } = checkReplays(fc.nat(9).map((seed) => ({ ...plan, seed })))
  expect(yes).toBeGreaterThan(0)
})

const latency = fc.oneof(
  fc.constant({ distribution: 'fixed', ms: 5 }),
  fc.record({
    distribution: fc.constant('uniform'),
    minMs: fc.nat(10),
    maxMs: fc.integer({ min: 10, max: 90 }),
  }),
  fc.record({ distribution: fc.constant('log-normal'), medianMs: fc.nat(900), sigma: fc.constant(0.7) }),
)
const limit = fc.oneof(
  fc.constant({ mode: 'fixed', retryAfterSeconds: 1 }),
  fc.record({ mode: fc.constant('burst'), lastsMs: fc.integer({ min: 1, max: 50_000 }) }),
  fc.record({ mode: fc.constant('token-bucket'), burst: fc.constant(2), perSecond: fc.constant(0.2) }),
)
const sockets = {
  count: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  everyMs: fc.integer({ min: 100, max: 20_000 }),
  staggerMs: fc.nat(1000),
}
/** The options that a kind requires, and those that draw random numbers. */
const OPTIONS: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  'http-429': { limit, per: fc.constantFrom('all', 'route', 'client') },
  'http-latency': { latency, at: fc.constantFrom('request', 'response') },
  'http-bandwidth': { bytesPerSecond: fc.constant(10) },
  'http-malformed': { as: fc.constantFrom('empty', 'html-page') },
  'refresh-window': { latency },
  'early-expiry': { what: fc.constantFrom('ticket', 'access-session'), livesMs: fc.nat(99) },
  'permission-revoked': { what: fc.constantFrom('access', 'terms', 'api-token') },
  'clock-skew': { skewMs: fc.nat(99) },
  'stale-read': { behindMs: fc.integer({ min: 1, max: 99 }) },
  'stale-route': { staleMs: fc.constant(60_000) },
  'slow-indexer': { lag: fc.constant({ blocks: 2 }) },
  'revision-storm': { everyMs: fc.constant(5000) },
  reorg: { depth: fc.constant(2), everyMs: fc.constant(5000) },
  'ws-close': sockets,
  'ws-blackhole': sockets,
  'ws-slow-consumer': sockets,
  'ws-unknown-control': sockets,
  'ws-drop': { where: fc.constantFrom({}, { clients: { addresses: ['bw1a'] } }) },
}
const when = fc.record(
  {
    afterMs: fc.nat(20_000),
    afterBlocks: fc.nat(3),
    forMs: fc.integer({ min: 10_000, max: 500_000 }),
    every: fc.integer({ min: 1, max: 3 }),
    times: fc.integer({ min: 1, max: 9 }),
    probability: fc.double({ min: 0.2, max: 1, noNaN: true }),
  },
  { requiredKeys: [] },
)
test.each(FAULT_KINDS)('$name and its schedule replay exactly', ({ name }) => {
  const fault = fc.record({ fault: fc.constant(name), when, ...OPTIONS[name] })
  const plans = fc.record({
    description: fc.constant('of a test'),
    seed: fc.nat(9),
    faults: fc.tuple(fault),
  })
  const { yes, no } = checkReplays(plans.map((plan) => faultPlanSchema.parse(plan)))
  expect(Math.min(yes, no)).toBeGreaterThan(0)
})

test('another seed gives other decisions', () => {
  const steps = Array.from({ length: 40 }, () => ({
    afterMs: 1,
    what: 'request' as const,
    client: CLIENTS[0] as (typeof CLIENTS)[number], // as: there are three
    request: 'GET /pools',
  }))
  const faults = [{ fault: 'http-error', when: { probability: 0.5 } }]
  const [one, other] = [1, 2].map(
    (seed) => run(faultPlanSchema.parse({ description: 'of a test', seed, faults }), steps).actions,
  )
  expect(other).not.toEqual(one)
})
