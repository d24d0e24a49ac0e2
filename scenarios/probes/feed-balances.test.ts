import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { foreignBalance, ownBalance } from './feed-balances.ts'

const CHOICES = choicesSchema.parse({ events: { address: 'data.address' } })
const TARGET = { profile: { choices: CHOICES, control: {} }, controlToken: 'x' } as unknown as Target // as: the only parts used

type Socket = {
  by: string
  received: FeedMessage[]
  rooms: Set<string>
  renewals: number
  /** Actions of the frames. */
  sent: string[]
  code?: number
}
const world = vi.hoisted(() => ({
  sockets: [] as Socket[],
  swaps: 0,
  /** Events of each later wait. */
  turns: [] as (() => void)[],
  duringPause: () => {},
  noted: [] as string[],
  hasToken: true,
  /** Bodies of /balances, the last of which stays. */
  balances: [] as object[],
}))

function open(by: string, rooms: readonly string[]) {
  const socket: Socket = { by, received: [], rooms: new Set(rooms), renewals: 0, sent: [] }
  world.sockets.push(socket)
  return Object.assign(socket, {
    closed: () => (socket.code === undefined ? undefined : { code: socket.code }),
    hasResponded: () => true,
    until: async () => world.duringPause(),
    settled: async () => true,
    send({ action, room }: { action: string; room: string }) {
      socket.sent.push(action)
      if (action === 'subscribe') socket.rooms.add(room)
      else socket.rooms.delete(room)
    },
    evidence: () => [],
    close: () => {},
  })
}

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => open('no one', []) }))
vi.mock('../lib/feed/join-and-close.ts', () => ({ joinAndClose: async () => {} }))
vi.mock('../lib/probe/watch-records.ts', () => ({
  noteProblem: (rule: string, problem: string) => void world.noted.push(`${rule}: ${problem}`),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: () => true,
  request: async () => ({
    json: world.balances.length > 1 ? world.balances.shift() : world.balances[0],
  }),
}))
vi.mock('../lib/redact.ts', () => ({ redactor: { redactBody: (text: string) => text } }))
vi.mock('../lib/identity/wallet.ts', () => ({
  walletFor: (_: Target, use: string) => ({ address: use === 'feed' ? 'mine' : 'foreign' }),
}))
vi.mock('../lib/identity/session.ts', () => ({
  withSession: (_: Target, wallet: object, use: (session: object) => unknown) => use(wallet),
  getCredential: ({ address }: { address: string }) => ({ cookie: `session of ${address}` }),
}))
vi.mock('../lib/identity/api-token.ts', () => ({
  withTokenIfPossible: (_: Target, { address }: { address: string }, use: (bearer: unknown) => unknown) =>
    use(world.hasToken ? { bearer: `token of ${address}` } : undefined),
}))
vi.mock('../lib/world/keep-served.ts', () => ({ keepServed: async () => async () => {} }))
vi.mock('../lib/market/await-owed.ts', () => ({
  async awaitOwed(_: Target, { done, eachTurn }: { done: () => boolean; eachTurn: () => Promise<void> }) {
    await eachTurn()
    while (!done() && world.turns.length > 0) world.turns.shift()?.()
    return { came: done(), swaps: world.swaps, seconds: 1 }
  },
}))
vi.mock('../lib/world/control.ts', () => ({
  advanceChain: async () => {
    for (const turn of world.turns) turn()
    return true
  },
}))
vi.mock('../lib/feed/served-feed.ts', () => {
  const openAny = async (_: Target, credential: Record<string, string>, rooms: readonly string[]) =>
    open(Object.values(credential)[0] ?? '', rooms)
  return {
    LOST: 'lost',
    isServed: async () => true,
    isLost: ({ code }: Socket) => code === 1006,
    takeTicket: async () => ({ ticket: 't' }),
    authenticate: async (socket: Socket) => void socket.renewals++,
    openServedFeed: openAny,
    openRooms: (
      target: Target,
      credential: Record<string, string>,
      { rooms }: { rooms: readonly string[] },
    ) => openAny(target, credential, rooms),
  }
})

beforeEach(
  () =>
    void Object.assign(world, {
      ...{
        sockets: [],
        swaps: 0,
        turns: [],
        duringPause: () => {},
        noted: [],
        hasToken: true,
        balances: [{ data: [] }],
      },
    }),
)

/** A change of an address, for the sockets in its room, or for others. */
function change(address: string, isMember = ({ rooms }: Socket) => rooms.has(`balances:${address}`)): void {
  const json = { type: 'BalanceChange', data: { address } }
  const message = { type: json.type, json, data: json.data, text: JSON.stringify(json) }
  for (const socket of world.sockets) if (isMember(socket)) socket.received.push(message)
}

async function judge(probe: typeof ownBalance): Promise<string[]> {
  const found: string[] = []
  await judgeProbe({
    rules: probe.rules,
    getExpected: () => '',
    run: (judge) => probe.run(TARGET, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return [...found, ...world.noted]
}

const PASS = 'pass a change of its own balance arrived'
const [FIRST, SECOND, LEFT] = [0, 1, 2]
const only = (place: number) => (socket: Socket) => socket === world.sockets[place]
const times = (count: number, turn: () => void) => Array.from({ length: count }, () => turn)

test.each<[string, (() => void)[], string[]]>([
  ['one change for both', [() => change('mine')], [PASS]],
  ['nothing', [], ['inconclusive its own balance did not change']],
  [
    'three changes for the first alone',
    times(3, () => change('mine', only(FIRST))),
    ['fail the second of two sockets in the room gets no event'],
  ],
  [
    'three changes for the second alone',
    times(3, () => change('mine', only(SECOND))),
    ['fail the first of two sockets in the room gets no event'],
  ],
  [
    'three changes for the first alone, while the second may have missed some',
    [
      () => void world.sockets[SECOND]?.received.push({ control: 'resync_required', json: {}, text: '' }),
      ...times(3, () => change('mine', only(FIRST))),
    ],
    ['inconclusive the socket got resync_required'],
  ],
  ['two changes for the first alone', times(2, () => change('mine', only(FIRST))), [PASS]],
  [
    'a change for the one that has left, too',
    [() => change('mine', () => true)],
    [PASS, 'ws.rooms.unsubscribe: 1 changes of the own balance arrive after the leave'],
  ],
  [
    'a change for the one that has left alone',
    [() => change('mine', only(LEFT))],
    ['inconclusive its own balance did not change'],
  ],
])('of its own balance, %s', async (_, turns, expected) => {
  world.turns = turns
  expect(await judge(ownBalance)).toEqual(expected)
  expect(world.sockets.map(({ by }) => by)).toEqual(['session of mine', 'token of mine', 'session of mine'])
  expect(world.sockets.map(({ renewals }) => renewals)).toEqual([0, 1, 0])
})

test('changes before the second socket counts say nothing about the first', async () => {
  world.duringPause = () => {
    for (let time = 0; time < 3; time++) change('mine', only(SECOND))
  }
  world.turns = [() => change('mine')]
  expect(await judge(ownBalance)).toEqual([PASS])
})

/** Other members differ in each read. */
let reads = 0
const rows = (...balances: string[]) => ({
  data: balances.map((balance) => ({ balance, usd: reads++ / 3 })),
  block: reads++,
})
const OWED = 'no event, while /swaps shows 3 more swaps of the wallet'

test.each<[string, object[], string]>([
  ['balances that changed', [rows('1', '2'), rows('1', '3')], `fail ${OWED}, and its balances changed`],
  [
    'balances in another order',
    [rows('1', '2'), rows('2', '1')],
    `inconclusive ${OWED}, but no change of its balances is known`,
  ],
  ['no balances', [{ error: 'no' }], `inconclusive ${OWED}, but no change of its balances is known`],
])('swaps of the wallet are due to both sockets, with %s', async (_, balances, expected) => {
  Object.assign(world, { swaps: 3, balances })
  expect(await judge(ownBalance)).toEqual([expected])
})

test('one change for the first alone is too few to miss', async () => {
  Object.assign(world, { swaps: 3, turns: [() => change('mine', only(FIRST))] })
  expect(await judge(ownBalance)).toEqual([PASS])
})

test('without an API token, the second socket has a ticket of the session', async () => {
  world.hasToken = false
  world.turns = [() => change('mine')]
  expect(await judge(ownBalance)).toEqual([PASS])
  expect(world.sockets[SECOND]?.by).toBe('session of mine')
})

const [OWNER, CURIOUS, BY_TOKEN, LAST] = [0, 1, 2, 9]
const LEAKED = 'fail changes of another address arrive'

test.each<[string, (() => void)[], string[]]>([
  [
    'its owner alone',
    [() => change('foreign', only(OWNER))],
    ['pass nothing came while its owner got 1 changes'],
  ],
  ['no one', [], ['inconclusive its owner got no change either']],
  ['a socket of a session, too', [() => change('foreign', only(CURIOUS))], [LEAKED]],
  ['a socket of an API token, too', [() => change('foreign', only(BY_TOKEN))], [LEAKED]],
  [
    'a socket that was renewed with a ticket of the other wallet',
    [() => change('foreign', only(LAST))],
    [LEAKED],
  ],
  ['a pattern', [() => change('foreign', ({ rooms }) => rooms.has('balances:*'))], [LEAKED]],
  ['a list', [() => change('foreign', ({ rooms }) => rooms.has('balances:mine,foreign'))], [LEAKED]],
  ['another case', [() => change('foreign', ({ rooms }) => rooms.has('Balances:foreign'))], [LEAKED]],
  [
    'white space before it',
    [() => change('foreign', ({ rooms }) => rooms.has('balances: foreign'))],
    [LEAKED],
  ],
  ['other letters', [() => change('foreign', ({ rooms }) => rooms.has('balances:FOREIGN'))], [LEAKED]],
  ['white space', [() => change('foreign', ({ rooms }) => rooms.has('balances:foreign '))], [LEAKED]],
])('of a foreign balance, a change for %s', async (_, turns, expected) => {
  world.turns = turns
  expect(await judge(foreignBalance)).toEqual(expected)
  expect(world.sockets.map(({ by, renewals }) => `${by}, ${renewals} renewals`)).toEqual([
    'session of foreign, 0 renewals',
    'session of mine, 1 renewals',
    'token of mine, 1 renewals',
    ...Array(6).fill('session of mine, 0 renewals'),
    'session of mine, 1 renewals',
    ...Array(2).fill('no one, 0 renewals'),
    'session of mine, 0 renewals',
  ])
})

test.each([
  ['no one', 'subscribe authenticate'],
  ['no one', 'authenticate subscribe'],
  ['session of mine', 'authenticate subscribe'],
])('of a foreign balance, a change for a socket of %s with the frames %s', async (by, frames) => {
  world.turns = [
    () => change('foreign', (socket) => socket.by === by && socket.sent.join(' ') === frames),
    () => change('foreign', only(OWNER)),
  ]
  expect(await judge(foreignBalance)).toEqual([LEAKED])
})

test('of other spellings, a lost socket changes nothing', async () => {
  world.turns = [
    () => change('foreign', only(OWNER)),
    () => void Object.assign(world.sockets[LAST] ?? {}, { code: 1006 }),
  ]
  expect(await judge(foreignBalance)).toEqual(['pass nothing came while its owner got 1 changes'])
})

test('a lost socket proves nothing', async () => {
  world.turns = [
    () => change('foreign', only(OWNER)),
    () => void Object.assign(world.sockets[BY_TOKEN] ?? {}, { code: 1006 }),
  ]
  expect(await judge(foreignBalance)).toEqual(['inconclusive lost'])
})
