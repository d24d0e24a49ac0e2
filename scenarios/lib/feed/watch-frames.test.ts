import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { watchSocket } from './watch-frames.ts'

const CHOICES = choicesSchema.parse({ events: { pool: 'data.pool', id: 'data.id' } })
const CHANGES = [{ scope: 'fee_tiers', key: '3000' }]

function message(json: { type?: string; control?: string; data?: Record<string, unknown> }) {
  return { ...json, json, text: JSON.stringify(json) }
}

function watch(...rooms: string[]) {
  let clockMs = 0
  const socket = watchSocket(CHOICES, { nowMs: () => clockMs })
  for (const room of rooms) socket.sent({ action: 'subscribe', room })
  return {
    socket,
    listRules: (json: Parameters<typeof message>[0], afterMs = 0) => {
      clockMs += afterMs
      return socket.came(message(json)).map(({ rule }) => rule)
    },
  }
}

const CHANGE = { revision: 7, changes: CHANGES }
const TRADE = { type: 'Trade', data: { pool: 'a', id: '1', amount0: '5' } }

test('finds an event of a pool or of a kind that was not joined', () => {
  const { listRules } = watch('trades:a', 'pool_stats:b')
  expect(listRules(TRADE)).toEqual([])
  expect(listRules({ type: 'Trade', data: { pool: 'b', id: '2' } })).toEqual(['ws.rooms.only-subscribed'])
  expect(listRules({ type: 'Ohlcv', data: { pool: 'a' } })).toEqual(['ws.rooms.only-subscribed'])
})

test('accepts events of a room that was left, and frames that the specification leaves open', () => {
  const { socket, listRules } = watch('trades:a')
  socket.sent({ action: 'unsubscribe', room: 'trades:a' })
  expect(listRules(TRADE)).toEqual([])
  expect(listRules({ type: 'Unheard', data: {} })).toEqual([])
  expect(listRules({ type: 'error' })).toEqual([])
  expect(listRules({ type: 'subscribed' })).toEqual([])
  expect(listRules({ control: 'synchronized' })).toEqual([])
})

test('finds a repeated trade, but not after a resync_required', () => {
  const { listRules } = watch('trades:a')
  expect([listRules(TRADE), listRules(TRADE)]).toEqual([[], ['ws.delivery.at-most-once']])
  listRules({ control: 'resync_required' })
  expect(listRules(TRADE)).toEqual([])
})

test('finds a repeated change of the configuration, but only with a revision', () => {
  const { listRules } = watch('protocol_config')
  const change = (data: Record<string, unknown>) => listRules({ type: 'ProtocolConfigChanged', data })
  expect(change({ ...CHANGE, observed_block: 3 })).toEqual([])
  expect(change({ ...CHANGE, observed_block: 4 })).toEqual([])
  expect(change({ ...CHANGE, observed_block: 3 })).toEqual(['ws.delivery.at-most-once'])
  expect(change({ changes: CHANGES, observed_block: 3 })).toEqual(['ws.event.config'])
  expect(change({ changes: CHANGES, observed_block: 3 })).toEqual(['ws.event.config'])
})

test('finds a later change of the configuration without its block', () => {
  const { listRules } = watch('protocol_config')
  const change = (data: Record<string, unknown>) => listRules({ type: 'ProtocolConfigChanged', data })
  expect([change({ ...CHANGE, observed_block: 3 }), change({ revision: 8, changes: CHANGES })]).toEqual([
    [],
    ['ws.event.config'],
  ])
})

test('accepts equal statistics, even with an id and a pool', () => {
  const { listRules } = watch('pool_stats:a')
  const statistic = { type: 'PoolStats', data: { pool: 'a', id: '1' } }
  expect([listRules(statistic), listRules(statistic)]).toEqual([[], []])
})

test('accepts equal trades without an id', () => {
  const { listRules } = watch('trades:a')
  const nameless = { type: 'Trade', data: { pool: 'a' } }
  expect([listRules(nameless), listRules(nameless)]).toEqual([[], []])
})

test('finds an event without data, and an exact value sent as a number', () => {
  const { listRules } = watch('trades:a')
  expect(listRules({ type: 'Trade' })).toEqual(['ws.event.shape'])
  expect(listRules({ ...TRADE, data: { ...TRADE.data, id: '3', amount0: 5 } })).toEqual([
    'ws.event.exact-values',
  ])
  expect(listRules({ ...TRADE, data: { ...TRADE.data, id: '4', amount0: '5,000' } })).toEqual([
    'ws.event.exact-values',
  ])
})

test.each([
  ['no pairs', []],
  ['a later change without a scope', [...CHANGES, { key: '500' }]],
  ['names instead of pairs', ['fee_tiers/3000']],
])('finds a later change of the configuration with %s', (_, changes) => {
  const { listRules } = watch('protocol_config')
  const change = (data: object) =>
    listRules({ type: 'ProtocolConfigChanged', data: { ...CHANGE, observed_block: 3, ...data } })
  expect([change({}), change({ revision: 8, changes })]).toEqual([[], ['ws.event.config']])
})

const balance = (id: string, token = 't', address = 'w') => ({
  type: 'BalanceChange',
  data: { id, token, address },
})
const REPEATED = 'ws.delivery.at-most-once'

type Event = [
  event: ReturnType<typeof balance> | { type: string; data: Record<string, unknown> },
  ms?: number,
]

test.each<[what: string, events: Event[], isRepeated: boolean]>([
  ['each event twice', ['1', '2', '3'].flatMap((id) => [[balance(id), 300], [balance(id)]] as Event[]), true],
  ['two events twice', ['1', '2'].flatMap((id) => [[balance(id), 300], [balance(id)]] as Event[]), false],
  [
    'later copies',
    ['1', '2', '3', '4'].flatMap(
      (id) =>
        [
          [balance(id), 300],
          [balance(id), 101],
        ] as Event[],
    ),
    false,
  ],
  [
    'ids of tokens, one of which changes again',
    ['1', '1', '2', '1', '2', '2', '3', '3'].map((id): Event => [balance(id), id === '1' ? 300 : 0]),
    false,
  ],
  [
    'ids of rooms',
    ['a', 'b', 'c', 'd'].flatMap((pool) => {
      const stats: Event = [{ type: 'PoolStats', data: { id: pool, pool } }, 0]
      return [stats, stats]
    }),
    false,
  ],
  [
    'three of many events twice',
    Array.from({ length: 10 }, (_, id) => id).flatMap((id) => {
      const event: Event = [balance(String(id)), 0]
      return id > 6 ? [event, event] : [event]
    }),
    false,
  ],
  [
    'launches twice',
    ['1', '2', '3'].flatMap((id) => {
      const launch: Event = [{ type: 'PoolLaunch', data: { id, pool: id } }, 0]
      return [launch, launch]
    }),
    true,
  ],
  [
    'trades twice, each with its own time',
    ['1', '2', '3'].flatMap((id) =>
      ['10:00', '10:01'].map((timestamp): Event => [{ type: 'Trade', data: { pool: 'a', id, timestamp } }]),
    ),
    true,
  ],
  [
    'two trades of each transaction',
    ['1', '2', '3'].flatMap((id) =>
      ['5', '6'].map((amount0): Event => [{ type: 'Trade', data: { pool: 'a', id, amount0 } }]),
    ),
    false,
  ],
])('%s: repeated is %3$j', (_, events, isRepeated) => {
  const rooms = [
    'balances:w',
    'pool_launches',
    'trades:a',
    ...['a', 'b', 'c', 'd'].map((key) => `pool_stats:${key}`),
  ]
  const { listRules } = watch(...rooms)
  const found = events.flatMap(([event, afterMs]) => listRules(event, afterMs))
  expect(found.includes(REPEATED)).toBe(isRepeated)
  expect(found.filter((rule) => rule !== REPEATED)).toEqual([])
})

test('after a resync_required, doubled events prove nothing', () => {
  const { listRules } = watch('balances:w')
  listRules({ control: 'resync_required' })
  for (const id of ['1', '2', '3']) expect([listRules(balance(id)), listRules(balance(id))]).toEqual([[], []])
})

test('doubled events of several sockets count together', () => {
  const doubles = new Map()
  const found = ['1', '2', '3'].map((id) => {
    const socket = watchSocket(CHOICES, { doubles, nowMs: () => 0 })
    socket.sent({ action: 'subscribe', room: 'balances:w' })
    return [balance(id), balance(id)].flatMap((event) => socket.came(message(event))).length
  })
  expect(found).toEqual([0, 0, 1])
})
