// A plan replays exactly: the same plan and requests give the same actions and journal.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createActivityJournal } from '../activity-journal.ts'
import { createClock } from '../clock.ts'
import { faultPlanSchema } from './fault-plan.ts'
import { createFaults } from './faults.ts'

const latency = fc.oneof(
  fc.record({
    distribution: fc.constant('uniform'),
    minMs: fc.nat(10),
    maxMs: fc.integer({ min: 10, max: 90 }),
  }),
  fc.record({ distribution: fc.constant('log-normal'), medianMs: fc.nat(900), sigma: fc.constant(0.7) }),
)
const limit = fc.oneof(
  fc.constant({ mode: 'fixed', retryAfterSeconds: 1 }),
  fc.record({ mode: fc.constant('burst'), lastsMs: fc.integer({ min: 1, max: 500 }) }),
  fc.record({
    mode: fc.constant('token-bucket'),
    burst: fc.integer({ min: 1, max: 5 }),
    perSecond: fc.integer({ min: 1, max: 20 }),
  }),
)
const per = fc.constantFrom('all', 'route', 'client', 'client-and-route')
const when = fc.record({
  afterMs: fc.nat(200),
  every: fc.integer({ min: 1, max: 3 }),
  probability: fc.double({ min: 0.1, max: 1, noNaN: true }),
})
const where = fc.constantFrom({}, { routes: ['GET /pools*'] }, { clients: { userAgents: ['a*'] } })

const fault = fc.oneof(
  fc.record({ fault: fc.constant('http-latency'), when, where, latency }),
  fc.record({ fault: fc.constant('http-429'), when, where, limit, per }),
  fc.record({ fault: fc.constant('http-truncated'), when, where, keepPercent: fc.nat(99) }),
  fc.record({ fault: fc.constantFrom('http-error', 'http-reset', 'http-hang'), when, where }),
)
const plan = fc.record({
  description: fc.constant('of a test'),
  seed: fc.nat(5),
  faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
})
const request = fc.record({
  advanceMs: fc.nat(100),
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/pools', '/pools/:key', '/swaps', null),
  userAgent: fc.constantFrom('a1', 'a2', 'b'),
})
type Requests = readonly {
  advanceMs: number
  method: string
  route: string | null
  userAgent: string
}[]

/** Every action of the faults on every request, and the journal. */
function run(given: object, requests: Requests) {
  const clock = createClock({ startMs: 0 })
  const journal = createActivityJournal({ clock })
  const faults = createFaults({ clock, world: {} as never, record: journal.record })
  faults.apply(faultPlanSchema.parse(given))
  const actions = requests.map(({ advanceMs, ...asked }, place) => {
    clock.advance(advanceMs)
    const seen = { ...asked, ref: `r${place}`, address: null, credentialId: null, remoteAddress: '::1' }
    const responded = { ...seen, status: 200, body: '{"data":[]}' }
    return [
      faults.hooks.request?.map((hook) => hook(seen)),
      faults.hooks.response?.map((hook) => hook(responded)),
    ]
  })
  return { actions, journal: journal.read({ after: 0, limit: 1000 }), listed: faults.list() }
}

test('the same plan and the same requests: the same actions and the same journal', () => {
  const numbers: number[] = []
  fc.assert(
    fc.property(plan, fc.array(request, { maxLength: 60, size: 'max' }), (given, requests) => {
      const first = run(given, requests)
      expect(run(given, requests)).toEqual(first)
      numbers.push(first.journal.entries.length)
    }),
    { seed: 1 },
  )
  expect(Math.max(...numbers)).toBeGreaterThan(50)
})

test('another seed gives other decisions', () => {
  const given = { description: 'of a test', faults: [{ fault: 'http-error', when: { probability: 0.5 } }] }
  const requests = Array.from({ length: 40 }, () => ({
    advanceMs: 1,
    method: 'GET',
    route: '/pools',
    userAgent: '',
  }))
  expect(run({ ...given, seed: 2 }, requests).actions).not.toEqual(
    run({ ...given, seed: 1 }, requests).actions,
  )
})
