// For each rule whose situation is decided later: what counts as handled, and what leaves it undecided.
import { expect, test } from 'vitest'
import type { ClientRuleId } from '../../contract/client-rules.ts'
import { OBSERVER_RULES } from './observer-rules.ts'
import { createTestBed, STRANGER } from './test-bed.ts'

type Bed = ReturnType<typeof createTestBed>
type Scene = (bed: Bed) => void

const MINUTE_MS = 60_000
const POOL = '/pools/a/trades'
const LIMITED = { status: 429, code: 'rate_limited', retryAfterMs: 1000 }
const LAST_PAGE = { ...STRANGER, url: '/pools?limit=20&offset=40', route: '/pools', isLastPage: true }
const EMPTY_PAGE = { ...LAST_PAGE, url: '/pools?limit=20&offset=60', isLastPage: false, isEmptyPage: true }
const REJECTED = { ...STRANGER, credential: 'invalid', status: 401, code: 'credentials_invalid' } as const
const OLD = { ...REJECTED, refusedDigest: 'old' }
const REFRESH = { ...STRANGER, method: 'POST', url: '/auth/refresh', isPublic: true }
const PENDING = {
  ...{ url: '/protocol/state?minimum_revision=5', route: '/protocol/state' },
  ...{ status: 503, code: 'protocol_revision_pending', retryAfterMs: 1000 },
}

/** A client that has read a pool’s trades loses its socket with their room, and authenticates on another one. */
function reconnect({ send, open, pass }: Bed) {
  send({ url: POOL })
  open().authenticate().join('trades:a').end()
  pass(1000)
  return open().authenticate()
}

/** Two tabs whose requests were rejected refresh at once; the loser has to send its own again. */
function raceRefresh({ send, arrive, pass }: Bed) {
  send({ ...REJECTED, url: '/swaps' })
  send({ ...REJECTED, url: '/unclaimed' })
  const responses = [arrive(REFRESH), arrive({ ...REFRESH, status: 409, code: 'refresh_raced' })]
  for (const response of responses) response()
  pass(10)
}

function fail(bed: Bed, waitsMs: readonly number[]) {
  for (const waitMs of waitsMs) {
    bed.send({ status: 503 })
    bed.pass(waitMs)
  }
}

/** Sockets that open after these waits, each of them closed by the exchange. */
function reopen({ open, pass }: Bed, waitsMs: readonly number[]) {
  for (const waitMs of waitsMs) {
    open().end()
    pass(waitMs)
  }
  open()
}

function sendTwice(first: object, waitMs: number, second: object = {}): Scene {
  return ({ send, pass }) => {
    send(first)
    pass(waitMs)
    send(second)
  }
}

const HANDLED: readonly [ClientRuleId, why: string, Scene][] = [
  ['client.pools.pages-to-end', 'stops at the last row', ({ send }) => send(LAST_PAGE)],
  ['client.pools.pages-to-end', 'stops at the empty page', ({ send }) => send(EMPTY_PAGE)],
  [
    'client.refresh.retries-after-409',
    'the loser repeats its request',
    (bed) => {
      raceRefresh(bed)
      bed.send({ url: '/unclaimed', credential: 'session' })
    },
  ],
  [
    'client.ticket.fresh',
    'a renewal with a new ticket',
    ({ open }) => open().authenticate().authenticate({ outcome: 'renewed' }),
  ],
  [
    'client.ticket.fresh',
    'a new ticket for another socket',
    ({ open }) => {
      open().authenticate().end()
      open().authenticate()
    },
  ],
  ['client.reconnect.resubscribes', 'joins the room again', (bed) => reconnect(bed).join('trades:a')],
  [
    'client.reconnect.synchronizes',
    'sends synchronize',
    (bed) => reconnect(bed).join('trades:a').frame({ action: 'synchronize' }),
  ],
  [
    'client.reconnect.refetches',
    'reads again',
    (bed) => {
      const socket = reconnect(bed).join('trades:a')
      socket.frame({ action: 'synchronize' })
      socket.control('synchronized')
      bed.pass(1)
      bed.send({ url: POOL })
    },
  ],
  [
    'client.socket.authenticates-first',
    'subscribes afterwards',
    ({ open }) => open().authenticate().join('trades:a').frame({ action: 'synchronize' }),
  ],
  [
    'client.ticket.renewed',
    'a renewal in time',
    ({ open, pass }) => {
      const socket = open().authenticate()
      pass(45_000)
      socket.authenticate({ outcome: 'renewed' })
    },
  ],
  ['client.reconnect.backs-off', 'waits grow', (bed) => reopen(bed, [300, 900, 1900, 4100])],
  [
    'client.resync.refetches',
    'reads again',
    ({ send, open, pass }) => {
      send({ url: POOL })
      open().authenticate().join('trades:a').control('resync_required')
      pass(1)
      send({ url: POOL })
    },
  ],
  [
    'client.controls.unknown-ignored',
    'the socket stays open',
    ({ open, pass }) => {
      const socket = open().authenticate()
      pass(1000)
      socket.control('news', true)
    },
  ],
  [
    'client.config.refetches',
    'requests the revision',
    ({ send, open }) => {
      open().authenticate().revision(5)
      send({ url: '/protocol/state?minimum_revision=5', route: '/protocol/state' })
    },
  ],
  [
    'client.config.retries-pending',
    'waits and requests it again',
    sendTwice(PENDING, 1000, { ...PENDING, status: 200, code: null, retryAfterMs: null }),
  ],
  ['client.401.replaces', 'uses another credential', sendTwice(OLD, 1)],
  ['client.403.stops', 'sends no more', ({ send }) => send({ status: 403, code: 'access_required' })],
  ['client.403.stops', 'sends no more, whatever the reason', ({ send }) => send({ status: 403 })],
  ['client.429.waits', 'waits and repeats the request', sendTwice(LIMITED, 1000)],
  ['client.429.waits', 'waits and sends something else', sendTwice(LIMITED, 1000, { url: '/swaps' })],
  ['client.5xx.bounded', 'gives up', (bed) => fail(bed, [100, 200])],
  ['client.5xx.backs-off', 'waits grow', (bed) => fail(bed, [250, 510, 990, 2100, 4000])],
]

const UNDECIDED: readonly [ClientRuleId, why: string, Scene][] = [
  ['client.refresh.retries-after-409', 'the loser is gone', raceRefresh],
  [
    'client.refresh.retries-after-409',
    'no winner has a response',
    ({ send, pass }) => {
      send({ ...REJECTED, url: '/swaps' })
      send({ ...REFRESH, status: 409, code: 'refresh_raced' })
      pass(1000)
      send({ url: '/unclaimed' })
    },
  ],
  [
    'client.ticket.renewed',
    'a ticket that comes too late',
    ({ open, send, pass }) => {
      const socket = open().authenticate()
      pass(55_000)
      send({ url: '/auth/ws-ticket' })
      pass(5000)
      socket.end('ticketExpired')
    },
  ],
  ['client.reconnect.backs-off', 'short waits, which may be chance', (bed) => reopen(bed, [30, 60, 20, 50])],
  [
    'client.resync.refetches',
    'every attempt fails',
    ({ send, open, pass }) => {
      send({ url: POOL })
      pass(1)
      open().authenticate().join('trades:a').control('resync_required')
      for (let attempts = 0; attempts < 20; attempts++) {
        pass(MINUTE_MS / 3)
        send({ url: POOL, status: 503 })
      }
    },
  ],
  [
    'client.controls.unknown-ignored',
    'the socket closes, once',
    ({ open, pass }) => {
      const socket = open().authenticate()
      pass(1000)
      socket.control('news', true)
      socket.leave()
    },
  ],
  ['client.config.retries-pending', 'the client is gone', ({ send }) => send(PENDING)],
  ['client.401.replaces', 'the client is gone', ({ send }) => send(OLD)],
  ['client.429.waits', 'the client is gone', ({ send }) => send(LIMITED)],
  [
    'client.429.waits',
    'no Retry-After, so the client chooses its wait',
    sendTwice({ ...LIMITED, retryAfterMs: null }, 1000),
  ],
  ['client.429.waits', 'one early retry: it may be of another program', sendTwice(LIMITED, 200)],
  [
    'client.403.stops',
    'some attempts, which a person may make',
    sendTwice({ status: 403, code: 'access_required' }, 1000, { status: 403, code: 'access_required' }),
  ],
  ['client.403.stops', 'another attempt, which succeeds', sendTwice({ status: 403 }, 1000)],
]

function play(id: ClientRuleId, scene: Scene): Bed {
  const rule = OBSERVER_RULES.find((one) => one.id === id)
  if (!rule) throw new Error(`no rule ${id}`)
  const bed = createTestBed(rule)
  scene(bed)
  return bed
}

test.each(HANDLED)('%s is handled: %s', (id, _why, scene) => {
  const bed = play(id, scene)
  bed.pass(MINUTE_MS)
  expect(bed.counts()).toEqual([1, 1, 0])
})

test.each(UNDECIDED)('%s is undecided: %s', (id, _why, scene) => {
  const bed = play(id, scene)
  bed.pass(MINUTE_MS)
  expect(bed.counts()).toEqual([1, 0, 0])
})

test.each(['client.5xx.backs-off', 'client.reconnect.backs-off', 'client.ticket.fresh'] as const)(
  '%s has no situation yet: too few waits, or no second ticket',
  (id) => {
    const bed = play(id, (bed) => {
      reopen(bed, [300])
      bed.open().authenticate()
    })
    bed.pass(MINUTE_MS)
    expect(bed.counts()).toEqual([0, 0, 0])
  },
)

test('a reconnect is no situation if its socket is lost before the client had time to restore it', () => {
  const bed = play('client.reconnect.resubscribes', (bed) => void reconnect(bed).join('trades:a').end())
  bed.pass(MINUTE_MS)
  expect(bed.counts()).toEqual([0, 0, 0])
})

test('a socket that only authenticates, or sends frames that the stub does not read, exercises no rule about frames', () => {
  const first = play('client.socket.authenticates-first', ({ open }) => open().authenticate())
  const valid = play('client.frames.valid', ({ open }) => open().frame({ action: 'binary' }))
  expect([first.counts(), valid.counts()]).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ])
})

test('a client without a credential exercises no rule about secrets', () => {
  const bed = play('client.secrets.not-in-urls', ({ send }) => send(STRANGER))
  expect(bed.counts()).toEqual([0, 0, 0])
  bed.send()
  expect(bed.counts()).toEqual([1, 1, 0])
})
