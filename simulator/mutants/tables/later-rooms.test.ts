// Observations of a client with each mutant of rooms, and without it.
import { expect, test } from 'vitest'
import { createTestBed, statsRoom } from '../../gateway/test-bed.ts'
import type { FeedClient } from '../../gateway/test-client.ts'
import type { MutantName } from '../mutants.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const ALL = ['PoolLaunch', 'PoolStats']

const ROWS: readonly Row[] = [
  {
    mutant: 'ws-foreign-balance-by-api-token',
    show: async ({ bob, signIn, signInBySession, subscribe, hear }) => {
      const clients = [await signIn(), await signInBySession()]
      for (const client of clients) subscribe(client, `balances:${bob.address}`)
      return hear(clients)
    },
    right: [[], []],
    wrong: [['BalanceChange'], []],
  },
  {
    mutant: 'ws-own-balance-not-by-api-token',
    show: async ({ alice, signIn, signInBySession, subscribe, hear, room }) => {
      const clients = [await signIn(), await signInBySession()]
      for (const client of clients) subscribe(client, `balances:${alice.address}`, room)
      return hear(clients)
    },
    right: [
      ['PoolStats', 'BalanceChange'],
      ['PoolStats', 'BalanceChange'],
    ],
    wrong: [['PoolStats'], ['PoolStats', 'BalanceChange']],
  },
  {
    mutant: 'ws-own-balance-taken-over',
    show: async ({ alice, bob, join, hear, subscribe, room }) => {
      const clients = []
      for (const wallet of [alice, alice, bob]) clients.push(await join(`balances:${wallet.address}`, wallet))
      for (const client of clients) subscribe(client, room)
      return hear(clients)
    },
    right: [
      ['PoolStats', 'BalanceChange'],
      ['PoolStats', 'BalanceChange'],
      ['PoolStats', 'BalanceChange'],
    ],
    wrong: [['PoolStats'], ['PoolStats', 'BalanceChange'], ['PoolStats', 'BalanceChange']],
  },
  {
    mutant: 'ws-unsubscribe-leaves-on-all-sockets',
    show: async ({ alice, bob, signIn, subscribe, leave, hear, room }) => {
      const clients = [await signIn(alice), await signIn(alice), await signIn(bob)] as const
      for (const client of clients) subscribe(client, 'pool_launches', room)
      await hear(clients)
      leave(clients[0], room)
      const found = await hear(clients)
      subscribe(clients[1], room)
      return [...found, (await hear(clients))[1]]
    },
    right: [['PoolLaunch'], ALL, ALL, ALL],
    wrong: [['PoolLaunch'], ['PoolLaunch'], ALL, ALL],
  },
  {
    mutant: 'ws-rooms-of-wallet-32',
    show: async ({ alice, bob, pools, signIn, subscribe, hear, room }) => {
      const clients = [await signIn(alice), await signIn(alice), await signIn(bob)] as const
      const others = pools.map(statsRoom).slice(1, 32)
      subscribe(clients[0], ...others)
      await clients[0].synchronize()
      for (const client of clients.slice(1)) subscribe(client, room, 'pool_launches')
      return [others.length, ...(await hear(clients))]
    },
    right: [31, [], ALL, ALL],
    wrong: [31, [], ['PoolStats'], ALL],
  },
  {
    mutant: 'ws-config-revision-before',
    show: async ({ join, hear, emitAll }) => {
      const client = await join('protocol_config')
      emitAll()
      const { data } = await client.next('ProtocolConfigChanged')
      return [data?.revision, data?.observed_block, await hear([client])]
    },
    right: [7, 8, [['ProtocolConfigChanged']]],
    wrong: [6, 8, [['ProtocolConfigChanged']]],
  },
  {
    mutant: 'ws-unsubscribe-keeps-launches',
    show: ({ hearAfterLeaving }) => hearAfterLeaving(),
    right: [[]],
    wrong: [['PoolLaunch']],
  },
  {
    mutant: 'ws-unsubscribe-keeps-candles',
    show: ({ hearAfterLeaving }) => hearAfterLeaving(),
    right: [[]],
    wrong: [['Ohlcv']],
  },
  {
    mutant: 'ws-unsubscribe-keeps-balances',
    show: ({ hearAfterLeaving }) => hearAfterLeaving(),
    right: [[]],
    wrong: [['BalanceChange']],
  },
]

test.each(ROWS)('$mutant shows to a client', async ({ mutant, show, right, wrong }) => {
  expect(await show(await setUp(null))).toEqual(right)
  expect(await show(await setUp(mutant))).toEqual(wrong)
})

async function setUp(mutant: MutantName | null) {
  const bed = await createTestBed({ mutant })
  const { auth, pools, wallets, emit, signIn, connect } = bed
  const { alice, bob } = wallets
  const [pool] = pools
  if (!pool) throw new Error('no pool')
  const room = statsRoom(pool)
  const emitAll = () =>
    emit({
      poolStats: [pool],
      launches: [pool],
      candles: [{ ...CANDLE, pool: pool.key }],
      balanceChanges: [alice, bob].map(({ address }) => ({
        address,
        token: pool.token0,
        delta: -5n,
        balance: 7n,
        block: 8,
      })),
      config: { revision: 7, observedBlock: 8, changes: [{ scope: 'fees', key: 'all' }] },
    })
  /** Types of one event of each kind that arrive at each client. */
  const hear = async (clients: readonly FeedClient[]) => {
    for (const client of clients) await client.synchronize()
    emitAll()
    const types: string[][] = []
    for (const client of clients) types.push((await client.synchronize()).flatMap(({ type }) => type ?? []))
    return types
  }
  const subscribe = send('subscribe')
  const leave = send('unsubscribe')
  return {
    ...bed,
    alice,
    bob,
    room,
    emitAll,
    hear,
    subscribe,
    leave,
    async signInBySession() {
      const { address } = alice
      const { accessToken } = auth.sessions.start(address)
      const id = auth.sessions.byAccessToken(accessToken)?.id ?? ''
      const client = await connect()
      client.send({
        action: 'authenticate',
        token: auth.issueTicket({ kind: 'session', id, address }).ticket,
      })
      return client
    },
    /** After joining a room of each kind, and leaving all of them. */
    async hearAfterLeaving() {
      const rooms = [
        room,
        'pool_launches',
        `ohlcv:${pool.key}`,
        `balances:${alice.address}`,
        'protocol_config',
      ]
      const client = await signIn()
      subscribe(client, ...rooms)
      await client.synchronize()
      leave(client, ...rooms)
      return hear([client])
    },
  }
}

function send(action: 'subscribe' | 'unsubscribe') {
  return (client: FeedClient, ...rooms: readonly string[]) => {
    for (const room of rooms) client.send({ action, room })
  }
}

const CANDLE = {
  interval: '1m' as const,
  startMs: 0,
  open: '1',
  high: '1',
  low: '1',
  close: '1',
  volume0: 1n,
  volume1: 1n,
}
