import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { resyncRefetches } from './refetches.ts'

const VIEWS = ['/pools/a/trades', '/pools/a/stats', '/pools/a/ohlcv']
const ROOMS = ['trades:a', 'pool_stats:a', 'ohlcv:a']

type Bed = ReturnType<typeof createTestBed>

const readAll = ({ send }: Pick<Bed, 'send'>, status = 200) => {
  for (const url of VIEWS) send({ url: `${url}?limit=10`, status })
}

/** A client that keeps three views, and its socket, which gets the control. */
function resync(seat = {}, rooms = ROOMS) {
  const bed = createTestBed(resyncRefetches)
  readAll(bed)
  bed.pass(1000)
  const socket = bed
    .open(seat)
    .authenticate()
    .join(...rooms)
  socket.control('resync_required')
  bed.pass(1)
  return { ...bed, socket }
}

const AFTER_RESYNC = 'views were not read again within 30 s of resync_required on socket 1:'

test.each([
  ['nothing', [], `3 of 3 ${AFTER_RESYNC} ${VIEWS.join(', ')}`],
  ['one of three', ['/pools/a/stats'], `2 of 3 ${AFTER_RESYNC} /pools/a/trades, /pools/a/ohlcv`],
  ['two of three', ['/pools/a/stats', '/pools/a/ohlcv'], `1 of 3 ${AFTER_RESYNC} /pools/a/trades`],
  ['other data', ['/pools/b/trades', '/fee-tiers'], `3 of 3 ${AFTER_RESYNC} ${VIEWS.join(', ')}`],
])('after resync_required, reports a client that rereads %s', (_what, urls, violation) => {
  const { send, pass, found } = resync()
  for (const url of urls) send({ url })
  pass(60_000)
  expect(found()).toEqual([violation])
})

test.each(['/pools/a/stats', '/protocol/state?minimum_revision='])(
  'reports a client that polls %s only',
  (url) => {
    const { send, pass, found } = resync({}, [...ROOMS, 'protocol_config'])
    for (let count = 0; count < 10; count++) {
      send({ url: url.replace(/=$/, `=${count}`) })
      pass(10_000)
    }
    expect(found()).toHaveLength(1)
  },
)

test.each([500, 503, 429])('reports a client that gets %i and leaves it at that', (status) => {
  const bed = resync()
  readAll(bed, status)
  bed.pass(60_000)
  expect(bed.found()).toHaveLength(1)
})

test('allows late reads of all, by several programs', () => {
  const { send, pass, found, cases } = resync()
  pass(29_000)
  const [first = '', second = '', third = ''] = VIEWS
  send({ url: first })
  send({ ...STRANGER, url: second })
  send({ ...STRANGER, userAgent: 'another', url: third })
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows a slow client that reads one view after the other, page by page', () => {
  const { send, pass, found, cases } = resync()
  for (const url of VIEWS) {
    for (let offset = 0; offset < 40; offset += 10) {
      send({ url: `${url}?offset=${offset}` })
      pass(10_000)
    }
  }
  pass(60_000)
  expect([found(), cases()]).toEqual([[], 1])
})

test.each([
  ['retries', (bed: Bed) => readAll(bed, 503)],
  ['waits for a slow response', ({ arrive }: Bed) => VIEWS.map((url) => arrive({ url }))],
  ['waits for the data of another room', ({ arrive }: Bed) => arrive({ url: '/protocol/state' })],
])('allows a client that %s', (_what, act) => {
  const bed = resync()
  readAll(bed, 503)
  bed.pass(1000)
  act(bed)
  bed.pass(600_000)
  expect(bed.found()).toEqual([])
})

test.each([429, 503])('allows a client that waits as long as a %i requires', (status) => {
  const bed = resync()
  bed.send({ url: '/pools/a/trades', status, retryAfterMs: 90_000 })
  // A shorter wait does not end a longer one.
  bed.send({ url: '/fee-tiers', status, retryAfterMs: 1000 })
  bed.pass(90_000)
  readAll(bed)
  bed.pass(60_000)
  expect(bed.found()).toEqual([])
})

test('allows a client that has left the rooms, or whose pool is gone', () => {
  const left = resync()
  for (const room of ROOMS) left.socket.frame({ action: 'unsubscribe', room })
  const gone = resync()
  readAll(gone, 404)
  for (const bed of [left, gone]) bed.pass(60_000)
  expect([left.found(), gone.found()]).toEqual([[], []])
})

test('allows figures of all pools instead of those of one', () => {
  const bed = createTestBed(resyncRefetches)
  bed.send({ url: '/pools/a/stats' })
  bed.pass(1000)
  bed.open().authenticate().join('pool_stats:a').control('resync_required')
  bed.send({ url: '/pools/stats' })
  bed.pass(30_000)
  expect([bed.found(), bed.cases()]).toEqual([[], 1])
})

test('allows a client that may not have received the control', () => {
  const gone = resync()
  gone.socket.leave()
  gone.pass(30_000)
  const clogged = resync({ hasSentAll: () => false })
  clogged.pass(30_000)
  expect([gone.found(), clogged.found()]).toEqual([[], []])
})

test('counts from the time at which a fault released the control', () => {
  let releasedMs = Number.NEGATIVE_INFINITY
  const { pass, found, clock } = resync({ releasedMs: () => releasedMs })
  pass(29_000)
  releasedMs = clock.nowMs()
  pass(29_000)
  expect(found()).toEqual([])
  pass(61_000)
  expect(found()).toHaveLength(1)
})

test.each([
  ['had read nothing', () => {}],
  ['had read the plain record only', ({ send }: Bed) => send({ url: '/pools/a' })],
  ['got no data', (bed: Bed) => readAll(bed, 404)],
  ['requested a route once', ({ send }: Bed) => send({ url: '/route?amount_in=1' })],
  ['read a state for its revision', ({ send }: Bed) => send({ url: '/protocol/state?minimum_revision=7' })],
  [
    'had read them long before it opened the socket',
    (bed: Bed) => {
      readAll(bed)
      bed.pass(61_000)
    },
  ],
])('requires nothing of a client that %s', (_what, before) => {
  const bed = createTestBed(resyncRefetches)
  before(bed)
  bed
    .open()
    .authenticate()
    .join(...ROOMS, 'protocol_config')
    .control('resync_required')
  bed.pass(60_000)
  expect([bed.found(), bed.cases()]).toEqual([[], 0])
})

test('gives the last of several its time, with one deadline at a time', () => {
  const bed = resync()
  const { socket, pass, found, clock } = bed
  pass(9999)
  readAll(bed)
  pass(1000)
  for (let count = 0; count < 100; count++) socket.control('resync_required')
  const timers = clock.nextAtMs()
  pass(29_999)
  expect([found(), timers]).toEqual([[], clock.nowMs() - 10_999])
  pass(1)
  expect(found()).toHaveLength(1)
})

test('forgets everything when the world moves back', () => {
  const { observer, pass, found } = resync()
  observer.forget()
  pass(30_000)
  expect(found()).toEqual([])
})
