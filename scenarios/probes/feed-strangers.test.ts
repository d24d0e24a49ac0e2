import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { strangers } from './feed-strangers.ts'

const TARGET = { profile: { choices: choicesSchema.parse({}), control: null } } as Target // as: the only part used
const TICKET = 'ticket-0123456789'

type Socket = { received: FeedMessage[]; sent: string[] }
const world = vi.hoisted(() => ({
  sockets: [] as Socket[],
  witness: undefined as Socket | undefined,
  /** True if the gateway sends the socket the events of its rooms. */
  serves: (_: Socket): boolean => false,
  /** True if a made-up ticket authenticates. */
  takesAll: false,
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => openSocket() }))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({}) }))
vi.mock('../lib/market/busy-pools.ts', () => ({ busyRooms: async () => ['trades:k'] }))
vi.mock('../lib/time/paused-mining.ts', () => ({ withMiningPaused: (fn: () => unknown) => fn() }))
vi.mock('../lib/world/keep-served.ts', () => ({ keepServed: async () => async () => {} }))
vi.mock('./feed-config-change.ts', () => ({ changeConfig: async () => undefined }))
vi.mock('./feed-access.ts', () => ({ describeRefusal: () => 'refused' }))
vi.mock('../lib/world/control.ts', () => ({
  advanceChain: async (_: Target, { done }: { done: () => boolean }) => {
    for (const socket of world.sockets) {
      const isDue = socket === world.witness || (socket.received.length === 0 && world.serves(socket))
      for (let event = 0; isDue && event < 3; event++)
        socket.received.push({ type: 'Trade', json: {}, text: '{}' })
    }
    return done()
  },
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  throwIfRestarted() {},
  takeTicket: async () => ({ ticket: TICKET }),
  authenticatePatiently: async () => {},
  isServed: async () => world.takesAll,
  isServedWithWitness: async () => false,
  openServedFeed: async () => (world.witness = openSocket()),
}))

function openSocket() {
  const socket = { received: [] as FeedMessage[], sent: [] as string[] }
  world.sockets.push(socket)
  return Object.assign(socket, {
    closed: () => undefined,
    until: async () => false,
    hasResponded: () => true,
    settled: async () => true,
    send: ({ action, token = '' }: { action: string; token?: string }) =>
      void socket.sent.push(`${action} ${token}`.trim()),
    evidence: () => [],
    close: () => void world.sockets.splice(world.sockets.indexOf(socket), 1),
  })
}

beforeEach(
  () => void Object.assign(world, { sockets: [], witness: undefined, serves: () => false, takesAll: false }),
)

async function run(): Promise<string> {
  const found: string[] = []
  await judgeProbe({
    rules: strangers.rules,
    getExpected: () => '',
    run: (judge) => strangers.run(TARGET, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return found.join()
}

const hasTicket = ({ sent }: Socket) => sent[0]?.startsWith('authenticate') === true

test('passes if only the witness gets events', async () => {
  expect(await run()).toBe('pass refused; no event while a witness in the same rooms got 3')
})

test('fails if a made-up ticket gets events, and it subscribes at once and again', async () => {
  let sent: string[] = []
  world.serves = (socket) => {
    if (hasTicket(socket)) sent = socket.sent
    return hasTicket(socket)
  }
  expect(await run()).toBe('fail 3 events with a ticket that was never issued')
  expect(sent).toEqual(['authenticate ticket-01234Z6789', 'subscribe', 'subscribe'])
})

test('leaves it to another rule if a made-up ticket authenticates', async () => {
  Object.assign(world, { serves: hasTicket, takesAll: true })
  expect(await run()).toMatch(/^pass/)
})

test('fails if a socket without a ticket gets events', async () => {
  world.serves = ({ sent }) => sent[0] === 'subscribe'
  expect(await run()).toBe('fail 3 events without authentication')
})
