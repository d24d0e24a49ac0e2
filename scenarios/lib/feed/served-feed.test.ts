import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { CannotJudge, CannotProbe } from '../probe/cannot.ts'
import type { Feed, FeedMessage } from './feed.ts'
import { authenticate, isServed, MUTE, openServedFeed, takeTicket, tryFeed } from './served-feed.ts'

const server = vi.hoisted(() => ({
  /** How long it takes over a ticket; what comes before is answered with a close. */
  authenticateMs: 0,
  closeCode: 4401,
  /** Answers no ping, and closes nothing. */
  mute: false,
  tickets: 0,
  opened: 0,
}))

vi.mock('../requests/request.ts', () => ({
  request: async () => ({ status: 200, json: { data: { ticket: `ticket-${++server.tickets}` } } }),
}))
vi.mock('./feed.ts', () => ({ openFeed: async () => openFeedOfSlowServer() }))

beforeEach(() =>
  Object.assign(server, { authenticateMs: 0, closeCode: 4401, mute: false, tickets: 0, opened: 0 }),
)

/** Time passes only while the client waits for something that does not come. */
function openFeedOfSlowServer(): Feed {
  server.opened++
  const received: FeedMessage[] = []
  let nowMs = 0
  let readyMs = Number.POSITIVE_INFINITY
  let closed: { code: number; reason: string } | undefined
  return {
    received,
    closed: () => closed,
    send(frame) {
      if (frame.action === 'authenticate') readyMs = nowMs + server.authenticateMs
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
    close() {},
    evidence: () => [`closed with ${closed?.code}`],
  }
}

function targetWith(choices: Parameters<typeof choicesSchema.parse>[0] = {}): Target {
  return { profile: { choices: choicesSchema.parse(choices) } } as Target // as: all that the feed asks of it
}
const CREDENTIAL = { bearer: 'ss_token' }

test('a server that is done within the first second of quiet is served by one socket', async () => {
  server.authenticateMs = 900
  expect((await tryFeed(targetWith(), CREDENTIAL, ['pool_launches'])).served).toBe(true)
  expect(server).toMatchObject({ opened: 1, tickets: 1 })
})

test('a server that takes 2 s over a ticket, and closes on early frames, gets a second try with time to spare', async () => {
  server.authenticateMs = 2000
  expect((await tryFeed(targetWith(), CREDENTIAL, ['pool_launches'])).served).toBe(true)
  expect(server).toMatchObject({ opened: 2, tickets: 2 })
})

test('a greeting is not taken for the answer: the server has to answer a ping as well', async () => {
  const feed = openFeedOfSlowServer()
  let pings = 0
  const greeted: Feed = {
    ...feed,
    received: [],
    until: async () => true,
    settled: async () => ++pings > 0,
  }
  await authenticate(greeted, 'ticket')
  expect(pings).toBe(1)
})

test('a server that refuses both times is not served', async () => {
  server.authenticateMs = Number.POSITIVE_INFINITY
  expect((await tryFeed(targetWith(), CREDENTIAL, [])).served).toBe(false)
  expect(server.opened).toBe(2)
  await expect(openServedFeed(targetWith(), CREDENTIAL, [])).rejects.toThrow(
    new CannotJudge('a socket with a fresh ticket is not served: closed with 4401'),
  )
})

test('sockets that are lost one after another are no refusal', async () => {
  Object.assign(server, { authenticateMs: Number.POSITIVE_INFINITY, closeCode: 1006 })
  await expect(tryFeed(targetWith(), CREDENTIAL, [])).rejects.toThrow(CannotJudge)
  expect(server.opened).toBe(4)
})

test('nor is the silence of one that answers no ping', async () => {
  Object.assign(server, { authenticateMs: Number.POSITIVE_INFINITY, mute: true })
  await expect(tryFeed(targetWith(), CREDENTIAL, [])).rejects.toThrow(new CannotJudge(MUTE))
})

test('a restart of the gateway is no verdict', async () => {
  Object.assign(server, { authenticateMs: 2000, closeCode: 1012 })
  await expect(isServed(openFeedOfSlowServer())).rejects.toThrow(
    new CannotJudge('the gateway was restarted meanwhile (1012)'),
  )
})

test('there is no way to a ticket whose place the profile does not tell', async () => {
  const target = targetWith({ wsTicket: { ticket: null } })
  await expect(takeTicket(target, CREDENTIAL)).rejects.toThrow(CannotProbe)
  expect(server.tickets).toBe(0)
})
