import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { refreshRetries } from './refresh-races.ts'

const REFUSED = { ...STRANGER, credential: 'invalid', status: 401, code: 'credentials_invalid' } as const
const REFRESH = { ...STRANGER, method: 'POST', url: '/auth/refresh', isPublic: true }
const WON = { ...REFRESH, status: 200 }
const LOST = { ...REFRESH, status: 409, code: 'refresh_raced' }

/** Two tabs whose requests were rejected, and which refresh at once. */
function race() {
  const bed = createTestBed(refreshRetries)
  bed.send({ ...REFUSED, url: '/swaps' })
  bed.send({ ...REFUSED, url: '/unclaimed' })
  const [winner, loser] = [bed.arrive(WON), bed.arrive(LOST)]
  winner()
  loser()
  bed.pass(10)
  return bed
}

test('reports a loser that signs in again instead of retrying its request', () => {
  const { send, pass, found, evidence } = race()
  send({ ...STRANGER, method: 'POST', url: '/auth/challenge' })
  pass(31_000)
  expect(found()).toEqual([
    '1 refresh returned 409, and of the 2 requests rejected until then (such as GET /swaps) 0 were sent again within 30 s',
  ])
  expect(evidence()).toBe(3)
})

test('allows a loser that retries its request', () => {
  const { send, pass, found, cases } = race()
  send({ url: '/unclaimed', credential: 'session' })
  pass(31_000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('a tab that polls its own request does not hide two losers that give up', () => {
  const { send, pass, found } = createTestBed(refreshRetries)
  for (const url of ['/swaps', '/unclaimed', '/fee-tiers']) send({ ...REFUSED, url })
  send(WON)
  send(LOST)
  send(LOST)
  for (let polls = 0; polls < 7; polls++) {
    pass(4000)
    send({ url: '/swaps', credential: 'session' })
  }
  pass(31_000)
  expect(found()).toEqual([
    '2 refreshes returned 409, and of the 3 requests rejected until then (such as GET /swaps) 1 were sent again within 30 s',
  ])
})

test('allows a loser that disappears', () => {
  const { pass, found } = race()
  pass(31_000)
  expect(found()).toEqual([])
})

test('waits for a loser that is rate limited, and waits with all its requests', () => {
  const { send, pass, found } = race()
  send({ url: '/fee-tiers', credential: 'session', status: 429, retryAfterMs: 30_000 })
  pass(40_000)
  send({ url: '/unclaimed', credential: 'session' })
  pass(60_000)
  expect(found()).toEqual([])
})

test('reports a loser that was rate limited, and has not retried 30 s after that', () => {
  const { send, pass, found } = race()
  send({ url: '/fee-tiers', credential: 'session', status: 429, retryAfterMs: 30_000 })
  pass(59_999)
  expect(found()).toEqual([])
  pass(1)
  expect(found()).toHaveLength(1)
})

test('allows a loser that refreshed ahead of time and has nothing to retry', () => {
  const { send, pass, found } = createTestBed(refreshRetries)
  send({ ...REFUSED, url: '/swaps' })
  send(WON)
  send(LOST)
  pass(10)
  send({ ...STRANGER, url: '/pools' })
  pass(31_000)
  expect(found()).toEqual([])
})

test('allows a loser whose winner never gets its response', () => {
  const { send, pass, found } = createTestBed(refreshRetries)
  send({ ...REFUSED, url: '/swaps' })
  send(LOST)
  pass(10)
  send({ ...STRANGER, method: 'POST', url: '/auth/challenge' })
  pass(31_000)
  expect(found()).toEqual([])
})

/** The winner's response takes 3,002 ms; `act` is what the loser does in that time. Then requests are sent again. */
function slowRace(
  act: (bed: ReturnType<typeof createTestBed>, passTo: (ms: number) => void) => void,
  { retries = 1 } = {},
) {
  const bed = createTestBed(refreshRetries)
  const beganMs = bed.clock.nowMs()
  const passTo = (ms: number) => bed.pass(beganMs + ms - bed.clock.nowMs())
  bed.send({ ...REFUSED, url: '/swaps' })
  bed.send({ ...REFUSED, url: '/unclaimed' })
  const winner = bed.arrive({ ...WON, connection: 1 })
  bed.send({ ...LOST, connection: 2 })
  act(bed, passTo)
  passTo(3002)
  winner()
  bed.pass(100)
  for (let count = 0; count < retries; count++) bed.send({ url: '/unclaimed', credential: 'session' })
  bed.pass(31_000)
  return bed.found()
}

test.each([
  ['GET /unclaimed', { ...REFUSED, url: '/unclaimed', connection: 3 }, 2],
  ['GET /unclaimed', { ...REFUSED, url: '/unclaimed', connection: 2 }, 3],
  ['POST /auth/refresh', { ...LOST, connection: 3 }, 2],
])('reports a loser that repeats %s before the winner has its response', (what, repeat, times) => {
  const found = slowRace(({ send }, passTo) => {
    for (const ms of [3, 307, 614]) {
      passTo(ms)
      send(repeat)
    }
  })
  expect(found).toEqual([
    `after the 409 of a refresh, ${what} was sent ${times} more times before the winner had its response`,
  ])
})

test('reports a loser whose only retry came before the winner had its response', () => {
  const { arrive, send, pass, found } = createTestBed(refreshRetries)
  send({ ...REFUSED, url: '/swaps' })
  send({ ...REFUSED, url: '/unclaimed' })
  const winner = arrive(WON)
  send(LOST)
  pass(300)
  send({ ...REFUSED, url: '/unclaimed' })
  pass(3000)
  winner()
  send({ ...STRANGER, url: '/pools' })
  pass(31_000)
  expect(found()[0]).toContain('0 were sent again within 30 s')
})

/** Four times one after another: a request, and a refresh. */
const inTurn: Parameters<typeof slowRace>[0] = ({ send }, passTo) => {
  for (const ms of [300, 600, 900, 1200]) {
    passTo(ms)
    send({ ...REFUSED, url: '/unclaimed' })
    send(LOST)
  }
}

test('reports a loser that repeats its request and the refresh, and gives up', () => {
  expect(slowRace(inTurn)).toEqual([
    '5 refreshes returned 409, and of the 6 requests rejected until then (such as GET /swaps) 1 were sent again within 30 s',
  ])
})

test('allows a loser that is joined by tabs which open one after another', () => {
  expect(slowRace(inTurn, { retries: 5 })).toEqual([])
})

test.each<[string, Parameters<typeof slowRace>[0]]>([
  ['waits', () => {}],
  [
    'is joined by tabs that were restored at once',
    ({ arrive, pass }, passTo) => {
      passTo(500)
      const responses = Array.from({ length: 9 }, () => arrive({ ...REFUSED, url: '/unclaimed' }))
      pass(20)
      for (const response of responses) response()
    },
  ],
  [
    'has a neighbor that refreshes another session',
    ({ send }, passTo) => {
      for (const ms of [300, 600, 900]) {
        passTo(ms)
        send({ ...LOST, refreshDigest: 'another' })
      }
    },
  ],
  [
    'gets the cookies of the winner before the end of its response',
    ({ send }, passTo) => {
      for (const ms of [300, 600, 900]) {
        passTo(ms)
        send({ url: '/unclaimed', credential: 'session' })
      }
    },
  ],
])('allows a loser that %s', (_what, act) => {
  expect(slowRace(act)).toEqual([])
})
