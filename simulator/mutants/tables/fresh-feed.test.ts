// Observations of a client with each mutant, and without it.
import { expect, test } from 'vitest'
import { createTestBed, statsRoom } from '../../gateway/test-bed.ts'
import type { FeedClient } from '../../gateway/test-client.ts'
import type { MutantName } from '../mutants.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const ROWS: readonly Row[] = [
  {
    mutant: 'ws-ticket-life-from-authenticate',
    show: async ({ alice, clock, issueTicket, connect, isServed }) => {
      const token = issueTicket(alice)
      clock.advance(50_000)
      const client = await connect()
      client.send({ action: 'authenticate', token })
      await client.synchronize()
      clock.advance(15_000)
      return isServed(client)
    },
    right: false,
    wrong: true,
  },
  {
    mutant: 'ws-rooms-joined-twice-count-twice',
    show: async ({ signIn, subscribe, leave, hears, statsRooms }) => {
      const rooms = statsRooms.slice(0, 17)
      const client = await signIn()
      subscribe(client, ...rooms.flatMap((room) => [room, room]))
      const count = (await hears(client)).length
      leave(client, ...rooms)
      subscribe(client, ...statsRooms.slice(0, 32))
      return [count, (await hears(client)).length]
    },
    right: [17, 32],
    wrong: [16, 32],
  },
  {
    mutant: 'ws-frame-characters',
    show: async ({ signIn, isServed }) => {
      const send = async (note: string) => {
        const client = await signIn()
        client.send({ action: 'synchronize', note })
        return isServed(client)
      }
      return [await send('é'.repeat(1300)), await send('e'.repeat(2100)), await send('e'.repeat(1900))]
    },
    right: [false, false, true],
    wrong: [true, false, true],
  },
  {
    mutant: 'ws-frames-rooms-uncounted',
    show: async ({ signIn, subscribe, leave, room, countAnswers }) => {
      const [mixed, plain] = [await signIn(), await signIn()]
      for (let count = 0; count < 110; count++) {
        subscribe(mixed, room)
        leave(mixed, room)
      }
      return [await countAnswers(mixed, 60), await countAnswers(plain, 300)]
    },
    right: [19, 239],
    wrong: [60, 239],
  },
  {
    mutant: 'ws-deadline-idle',
    show: async ({ alice, clock, connect, issueTicket, isServed }) => {
      const tries = async (frame: object | undefined) => {
        const client = await connect()
        for (const ms of [3000, 3000, 4000]) {
          clock.advance(ms)
          if (frame && ms === 3000) client.send(frame)
          await client.settle()
        }
        client.send({ action: 'authenticate', token: issueTicket(alice) })
        return isServed(client)
      }
      return [
        await tries({ action: 'authenticate', token: 'made-up' }),
        await tries({ action: 'synchronize' }),
        await tries(undefined),
      ]
    },
    right: [false, false, false],
    wrong: [true, true, false],
  },
  {
    mutant: 'ws-rooms-of-pools-only',
    show: async ({ alice, signIn, subscribe, hears, statsRooms }) => {
      const client = await signIn()
      subscribe(client, 'pool_launches', 'protocol_config', `balances:${alice.address}`)
      subscribe(client, ...statsRooms.slice(0, 33))
      return (await hears(client)).filter((type) => type === 'PoolStats').length
    },
    right: 29,
    wrong: 32,
  },
  {
    mutant: 'ws-rooms-recounted-after-renewal',
    show: async ({ signIn, subscribe, renew, hears, statsRooms }) => {
      const client = await signIn()
      subscribe(client, ...statsRooms.slice(0, 33))
      const count = (await hears(client)).length
      renew(client)
      subscribe(client, ...statsRooms.slice(33, 36))
      return [count, (await hears(client)).length]
    },
    right: [32, 32],
    wrong: [32, 35],
  },
  {
    mutant: 'ws-rooms-freed-by-any-leave',
    show: async ({ signIn, subscribe, leave, hears, statsRooms }) => {
      const client = await signIn()
      subscribe(client, ...statsRooms.slice(0, 32))
      await client.synchronize()
      leave(client, 'pool_launches', statsRooms[0] ?? '', statsRooms[0] ?? '')
      subscribe(client, ...statsRooms.slice(32, 36))
      return (await hears(client)).length
    },
    right: 32,
    wrong: 34,
  },
  {
    mutant: 'ws-candle-prices-are-numbers',
    show: async ({ signIn, subscribe, emit, pools }) => {
      const client = await signIn()
      subscribe(client, `ohlcv:${pools[0]?.key}`)
      await client.synchronize()
      emit({ candles: [{ ...CANDLE, pool: pools[0]?.key ?? '' }] })
      const { data } = await client.next('Ohlcv')
      return [data?.open, data?.high, data?.low, data?.close, data?.volume0]
    },
    right: ['1', '1', '1', '1', '1'],
    wrong: [1, 1, 1, 1, '1'],
  },
  {
    mutant: 'ws-config-twice',
    show: async ({ join, hears }) => hears(await join('protocol_config')),
    right: ['ProtocolConfigChanged'],
    wrong: ['ProtocolConfigChanged', 'ProtocolConfigChanged'],
  },
  {
    mutant: 'ws-config-retained',
    show: async ({ signIn, join, hears, subscribe, leave }) => {
      const first = await join('protocol_config')
      await hears(first)
      leave(first, 'protocol_config')
      subscribe(first, 'protocol_config')
      const again = await first.synchronize()
      const late = await signIn()
      subscribe(late, 'protocol_config')
      return [again.length, (await late.synchronize()).map(({ type }) => type)]
    },
    right: [0, []],
    wrong: [0, ['ProtocolConfigChanged']],
  },
  {
    mutant: 'ws-unsubscribe-keeps-config',
    show: ({ hearsAfterLeaving }) => hearsAfterLeaving('protocol_config', 'pool_launches'),
    right: [],
    wrong: ['ProtocolConfigChanged'],
  },
]

test.each(ROWS)('$mutant shows to a client', async ({ mutant, show, right, wrong }) => {
  expect(await show(await setUp(null))).toEqual(right)
  expect(await show(await setUp(mutant))).toEqual(wrong)
})

async function setUp(mutant: MutantName | null) {
  const bed = await createTestBed({ mutant })
  const { pools, wallets, emit, issueTicket, signIn } = bed
  const { alice } = wallets
  /** Types of the events that arrive after the client has synchronized. */
  const hears = async (client: FeedClient): Promise<string[]> => {
    await client.synchronize()
    emit({
      poolStats: pools,
      launches: pools.slice(0, 1),
      config: { revision: 7, observedBlock: 8, changes: [{ scope: 'fees', key: 'all' }] },
    })
    return (await client.synchronize()).flatMap(({ type }) => type ?? [])
  }
  const subscribe = send('subscribe')
  const leave = send('unsubscribe')
  return {
    ...bed,
    alice,
    statsRooms: pools.map(statsRoom),
    room: `pool_stats:${pools[0]?.key}`,
    hears,
    subscribe,
    leave,
    renew: (client: FeedClient) => client.send({ action: 'authenticate', token: issueTicket(alice) }),
    isServed: (client: FeedClient) =>
      client.synchronize().then(
        () => true,
        () => false,
      ),
    /** Number of replies to that many synchronize frames. */
    countAnswers: async (client: FeedClient, count: number) => {
      for (let number = 0; number < count; number++) client.send({ action: 'synchronize' })
      return (await client.settle()).filter(({ control }) => control === 'synchronized').length
    },
    hearsAfterLeaving: async (...rooms: readonly string[]) => {
      const client = await signIn()
      subscribe(client, ...rooms)
      await client.synchronize()
      leave(client, ...rooms)
      return hears(client)
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
