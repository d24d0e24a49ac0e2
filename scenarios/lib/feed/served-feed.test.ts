import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Judge } from '../verdict/judge.ts'
import { CannotJudge, CannotProbe } from '../verdict/judge.ts'
import type { Feed, FeedMessage } from './feed.ts'
import {
  authenticate,
  isLost,
  isServed,
  openRooms,
  openServedFeed,
  takeTicket,
  tryFeed,
  UNRESPONSIVE,
} from './served-feed.ts'

const server = vi.hoisted(() => ({
  /** Time to process a ticket; earlier frames close the socket. */
  authenticateMs: 0,
  closeCode: 4401,
  /** Joining it closes the socket with this code. */
  lostIn: { room: '', code: 1006 },
  /** Numbers of the sockets that are lost on synchronize, in any room. */
  isDown: (_: number): boolean => false,
  /** Responds to no ping and never closes. */
  mute: false,
  tickets: 0,
  opened: 0,
}))

vi.mock('../requests/request.ts', () => ({
  request: async () => ({ status: 200, json: { data: { ticket: `ticket-${++server.tickets}` } } }),
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('./feed.ts', () => ({ openFeed: async () => openFeedOfSlowServer() }))

beforeEach(() =>
  Object.assign(server, {
    authenticateMs: 0,
    closeCode: 4401,
    lostIn: { room: '', code: 1006 },
    isDown: (_: number): boolean => false,
    mute: false,
    tickets: 0,
    opened: 0,
  }),
)

/** Time passes only while the client waits for a timeout. */
function openFeedOfSlowServer(): Feed {
  const number = ++server.opened
  let lastSent = 'opening'
  const received: FeedMessage[] = []
  let nowMs = 0
  let readyMs = Number.POSITIVE_INFINITY
  let closed: { code: number; reason: string } | undefined
  return {
    received,
    closed: () => closed,
    send(frame) {
      if (closed) return
      lastSent = frame.action
      if (frame.action === 'subscribe' && frame.room === server.lostIn.room)
        closed = { ...server.lostIn, reason: '' }
      else if (frame.action === 'synchronize' && server.isDown(number)) closed = { code: 1006, reason: '' }
      else if (frame.action === 'authenticate') readyMs = nowMs + server.authenticateMs
      else if (nowMs < readyMs && !server.mute) closed = { code: server.closeCode, reason: '' }
      else if (frame.action === 'synchronize' && !server.mute) {
        received.push({ control: 'synchronized', json: {}, text: '' })
      }
    },
    sendText() {},
    async until(done, timeoutMs) {
      if (done() || closed) return done()
      nowMs += timeoutMs
      return done()
    },
    settled: async () => !server.mute,
    hasResponded: () => !server.mute,
    close() {},
    lastSent: () => lastSent,
    evidence: () => [`closed with ${closed?.code}`],
  }
}

function targetWith(choices: Parameters<typeof choicesSchema.parse>[0] = {}): Target {
  return { profile: { choices: choicesSchema.parse(choices) } } as Target // as: the only part used
}
const CREDENTIAL = { bearer: 'ss_token' }

test('a server that finishes within the first second needs one socket', async () => {
  server.authenticateMs = 900
  expect((await tryFeed(targetWith(), CREDENTIAL, ['pool_launches'])).served).toBe(true)
  expect(server).toMatchObject({ opened: 1, tickets: 1 })
})

test('a server that needs 2 s for a ticket, and closes on early frames, gets a slower second attempt', async () => {
  server.authenticateMs = 2000
  expect((await tryFeed(targetWith(), CREDENTIAL, ['pool_launches'])).served).toBe(true)
  expect(server).toMatchObject({ opened: 2, tickets: 2 })
})

test('a greeting does not confirm authentication: a pong is required as well', async () => {
  const feed = openFeedOfSlowServer()
  let pings = 0
  const greeted: Feed = {
    ...feed,
    received: [],
    until: async () => true,
    settled: async () => ++pings > 0,
    hasResponded: () => true,
  }
  await authenticate(greeted, 'ticket')
  expect(pings).toBe(1)
})

test('a socket that is rejected twice is not served', async () => {
  server.authenticateMs = Number.POSITIVE_INFINITY
  expect((await tryFeed(targetWith(), CREDENTIAL, [])).served).toBe(false)
  expect(server.opened).toBe(2)
  await expect(openServedFeed(targetWith(), CREDENTIAL, [])).rejects.toThrow(
    new CannotJudge('a socket with a fresh ticket is not served: closed with 4401'),
  )
})

const ROOM = 'trades:pool'
const JUDGE = { fail: vi.fn() } as unknown as Judge & { fail: ReturnType<typeof vi.fn> } // as: the only method used
const joinRoom = () =>
  openRooms(targetWith(), CREDENTIAL, { judge: JUDGE, rule: 'ws.rooms.trades', rooms: [ROOM] })

test.each([1001, 1006, 1012])(
  'a room in which each socket is lost with %s, while others live, cannot be joined: its rule fails',
  async (code) => {
    server.lostIn = { room: ROOM, code }
    JUDGE.fail.mockClear()
    const explanation = expect.stringContaining(`closed with ${code} after subscribe in each of 4 attempts`)
    expect(await tryFeed(targetWith(), CREDENTIAL, [ROOM])).toMatchObject({
      served: false,
      persistent: explanation,
    })
    await expect(joinRoom()).rejects.toThrow(CannotJudge)
    expect(JUDGE.fail.mock.calls).toEqual([
      ['ws.rooms.trades', `no socket that joins ${ROOM} is served`, [explanation, `closed with ${code}`]],
    ])
    await expect(openServedFeed(targetWith(), CREDENTIAL, [ROOM])).rejects.toThrow(CannotJudge)
  },
)

test('a confirmed loss needs only a witness in other rooms of the kind, and none of it counts in an outage', async () => {
  const lose = (room: string) => {
    Object.assign(server, { lostIn: { room, code: 1006 }, opened: 0 })
    return tryFeed(targetWith(), CREDENTIAL, [room])
  }
  const { persistent = '' } = await lose('ohlcv:one')
  const confirmed = server.opened
  expect(await lose('ohlcv:two')).toMatchObject({
    persistent: `a socket without rooms is served; before, ${persistent}`,
  })
  expect([confirmed, server.opened]).toEqual([8, 3])
  const { persistent: ofAnother } = await lose('pool_stats:one')
  expect([ofAnother, server.opened]).toEqual([persistent, 8])
  server.isDown = (number) => number > 2
  await expect(lose('ohlcv:three')).rejects.toThrow('a socket without rooms is not served either')
})

test('a room whose sockets the gateway closes cannot be joined, if other sockets survive', async () => {
  server.lostIn = { room: ROOM, code: 4403 }
  JUDGE.fail.mockClear()
  await expect(joinRoom()).rejects.toThrow(CannotJudge)
  expect(JUDGE.fail).toHaveBeenCalledTimes(1)
  expect(server.opened).toBe(5)
})

test('after a transient loss the socket is served', async () => {
  server.isDown = (number) => number <= 2
  expect(await tryFeed(targetWith(), CREDENTIAL, [])).toMatchObject({ served: true })
})

test('a gateway outage, in which sockets without rooms are lost too, is not a failure', async () => {
  server.isDown = () => true
  JUDGE.fail.mockClear()
  await expect(joinRoom()).rejects.toThrow('a socket without rooms is not served either')
  expect(JUDGE.fail).not.toHaveBeenCalled()
})

test('reports sockets that are lost on authentication while idle ones survive', async () => {
  server.isDown = () => true
  expect((await tryFeed(targetWith(), CREDENTIAL, [])).persistent).toContain(
    'closed with 1006 after synchronize in each of 4 attempts',
  )
})

test('the silence of a socket that responds to no ping proves nothing', async () => {
  Object.assign(server, { authenticateMs: Number.POSITIVE_INFINITY, mute: true })
  await expect(tryFeed(targetWith(), CREDENTIAL, [])).rejects.toThrow(new CannotJudge(UNRESPONSIVE))
})

test('a gateway restart gives no verdict', async () => {
  Object.assign(server, { authenticateMs: 2000, closeCode: 1012 })
  await expect(isServed(openFeedOfSlowServer())).rejects.toThrow(
    new CannotJudge('the gateway restarted during the check (1012)'),
  )
})

test.each([
  [1001, true],
  [1006, true],
  [1011, true],
  [1012, true],
  [1013, true],
  [1014, true],
  [1000, false],
  [1008, false],
  [4401, false],
])('whether a close with %d may happen to any socket: %s', (code, expected) => {
  expect(isLost({ ...openFeedOfSlowServer(), closed: () => ({ code, reason: '' }) })).toBe(expected)
})

test('a ticket cannot be read without its path in the profile', async () => {
  const target = targetWith({ wsTicket: { ticket: null } })
  await expect(takeTicket(target, CREDENTIAL)).rejects.toThrow(CannotProbe)
  expect(server.tickets).toBe(0)
})
