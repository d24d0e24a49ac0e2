// Each mutant's shortest sequence on sockets: the observation with the mutant, and the right one without.
import { expect, test } from 'vitest'
import { createTestBed, statsRoom } from '../../gateway/test-bed.ts'
import type { FeedClient } from '../../gateway/test-client.ts'
import type { MutantName } from '../mutants.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const ROWS: readonly Row[] = [
  {
    mutant: 'sequence-ticket-dead-after-refresh',
    show: async ({ startSession, isServed }) => {
      const { issue, refresh } = startSession()
      const ticket = issue()
      refresh()
      return isServed(ticket)
    },
    right: true,
    wrong: false,
  },
  {
    mutant: 'sequence-fourth-ticket-ends-first',
    show: async ({ startSession, isServed }) => {
      const { issue } = startSession()
      const [first = ''] = [issue(), issue(), issue(), issue()]
      return isServed(first)
    },
    right: true,
    wrong: false,
  },
  {
    mutant: 'sequence-eighth-ticket-of-another',
    show: async ({ issueTicket, alice, bob, connect, subscribe, hears }) => {
      for (let count = 0; count < 7; count++) issueTicket(bob)
      const client = await connect()
      client.send({ action: 'authenticate', token: issueTicket(alice) })
      subscribe(client, `balances:${alice.address}`, `balances:${bob.address}`)
      return hears(client)
    },
    right: ['BalanceChange of alice'],
    wrong: ['BalanceChange of bob'],
  },
  {
    mutant: 'sequence-second-renewal-by-anyone',
    show: async ({ signIn, bob, renew, hears, subscribe }) => {
      const client = await signIn()
      renew(client)
      renew(client, bob)
      subscribe(client, `balances:${bob.address}`)
      return hears(client).catch(() => 'closed')
    },
    right: 'closed',
    wrong: ['BalanceChange of bob'],
  },
  {
    mutant: 'sequence-subscribed-twice-left-once',
    show: async ({ signIn, subscribe, leave, hears, room }) => {
      const client = await signIn()
      subscribe(client, room, room)
      leave(client, room)
      return hears(client)
    },
    right: [],
    wrong: ['PoolStats 0'],
  },
  {
    mutant: 'sequence-33rd-room-after-unjoined-leave',
    show: async ({ signIn, subscribe, leave, hears, statsRooms }) => {
      const client = await signIn()
      leave(client, 'pool_launches')
      subscribe(client, ...statsRooms.slice(0, 33))
      return (await hears(client)).length
    },
    right: 32,
    wrong: 33,
  },
  {
    mutant: 'sequence-late-room-lost-at-renewal',
    show: async ({ signIn, subscribe, renew, hears, room }) => {
      const client = await signIn()
      renew(client)
      subscribe(client, room)
      renew(client)
      return hears(client)
    },
    right: ['PoolStats 0'],
    wrong: [],
  },
  {
    mutant: 'sequence-candles-end-with-trades',
    show: async ({ signIn, subscribe, leave, hears, pools }) => {
      const client = await signIn()
      const [trades, candles] = ['trades', 'ohlcv'].map((kind) => `${kind}:${pools[0]?.key}`) as [
        string,
        string,
      ] // as: two
      subscribe(client, trades, candles)
      leave(client, trades)
      return hears(client)
    },
    right: ['Ohlcv 0'],
    wrong: [],
  },
  {
    mutant: 'sequence-leave-silences-third-socket',
    show: async ({ signIn, subscribe, leave, hears, room }) => {
      const [first, second, third] = [await signIn(), await signIn(), await signIn()]
      for (const client of [first, second, third]) {
        subscribe(client, room)
        await client.synchronize()
      }
      leave(first, room)
      await first.synchronize()
      return hears(third)
    },
    right: ['PoolStats 0'],
    wrong: [],
  },
  {
    mutant: 'sequence-synchronized-before-31st-room',
    show: async ({ signIn, subscribe, hears, statsRooms }) => {
      const client = await signIn()
      subscribe(client, ...statsRooms.slice(0, 31))
      return (await hears(client)).length
    },
    right: 31,
    wrong: 30,
  },
  {
    mutant: 'sequence-foreign-balance-after-renewal',
    show: async ({ signIn, bob, subscribe, renew, hears }) => {
      const client = await signIn()
      renew(client)
      subscribe(client, `balances:${bob.address}`)
      return hears(client)
    },
    right: [],
    wrong: ['BalanceChange of bob'],
  },
]

test.each(ROWS)('$mutant shows after its sequence', async ({ mutant, show, right, wrong }) => {
  expect(await show(await setUp(null))).toEqual(right)
  expect(await show(await setUp(mutant))).toEqual(wrong)
})

async function setUp(mutant: MutantName | null) {
  const bed = await createTestBed({ mutant })
  const { auth, pools, wallets, emit, issueTicket } = bed
  const { alice, bob } = wallets
  const names = new Map([
    [alice.address, 'of alice'],
    [bob.address, 'of bob'],
    ...pools.map(({ key }, number) => [key, String(number)] as const),
  ])
  /** Emits an event for each pool and wallet, and returns those that arrive after the client has synchronized. */
  const hears = async (client: FeedClient): Promise<string[]> => {
    await client.synchronize()
    const token = pools[0]?.token0
    const [pool] = pools
    if (!token || !pool) throw new Error('the world has no pool')
    emit({
      poolStats: pools,
      candles: [{ ...CANDLE, pool: pool.key }],
      balanceChanges: [alice, bob].map(({ address }) => ({
        address,
        token,
        delta: 1n,
        balance: 2n,
        block: 8,
      })),
    })
    const events = (await client.synchronize()).filter(({ type }) => type !== undefined)
    return events.map(({ type, data }) => `${type} ${names.get(String(data?.address ?? data?.pool))}`)
  }
  return {
    ...bed,
    alice,
    bob,
    statsRooms: pools.map(statsRoom),
    room: `pool_stats:${pools[0]?.key}`,
    hears,
    subscribe: send('subscribe'),
    leave: send('unsubscribe'),
    renew: (client: FeedClient, wallet = alice) =>
      client.send({ action: 'authenticate', token: issueTicket(wallet) }),
    isServed: async (token: string) => {
      const client = await bed.connect()
      client.send({ action: 'authenticate', token })
      return client.synchronize().then(
        () => true,
        () => false,
      )
    },
    startSession: () => {
      const { address } = alice
      const { accessToken, refreshToken } = auth.sessions.start(address)
      const id = auth.sessions.byAccessToken(accessToken)?.id ?? ''
      return {
        issue: () => auth.issueTicket({ kind: 'session', id, address }).ticket,
        refresh: () => auth.sessions.refresh(refreshToken),
      }
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
