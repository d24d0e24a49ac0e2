import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { watchSocket } from './feed-watch.ts'

const { events } = choicesSchema.parse({ events: { pool: 'data.pool', id: 'data.id' } })

function message(json: { type?: string; control?: string; data?: Record<string, unknown> }) {
  return { ...json, json, text: JSON.stringify(json) }
}

function watch(...rooms: string[]) {
  const socket = watchSocket(events)
  for (const room of rooms) socket.sent({ action: 'subscribe', room })
  return {
    socket,
    rulesOf: (json: Parameters<typeof message>[0]) => socket.came(message(json)).map(({ rule }) => rule),
  }
}

const TRADE = { type: 'Trade', data: { pool: 'a', id: '1', amount0: '5' } }

test('finds an event of a pool or of a kind that was not joined', () => {
  const { rulesOf } = watch('trades:a', 'pool_stats:b')
  expect(rulesOf(TRADE)).toEqual([])
  expect(rulesOf({ type: 'Trade', data: { pool: 'b', id: '2' } })).toEqual(['ws.rooms.only-subscribed'])
  expect(rulesOf({ type: 'Ohlcv', data: { pool: 'a' } })).toEqual(['ws.rooms.only-subscribed'])
})

test('lets pass what comes of a room that was left, and what says nothing of rooms', () => {
  const { socket, rulesOf } = watch('trades:a')
  socket.sent({ action: 'unsubscribe', room: 'trades:a' })
  expect(rulesOf(TRADE)).toEqual([])
  expect(rulesOf({ type: 'Unheard', data: {} })).toEqual([])
  expect(rulesOf({ control: 'synchronized' })).toEqual([])
})

test('finds a trade that comes again, but not after a resync_required', () => {
  const { rulesOf } = watch('trades:a')
  expect([rulesOf(TRADE), rulesOf(TRADE)]).toEqual([[], ['ws.delivery.at-most-once']])
  rulesOf({ control: 'resync_required' })
  expect(rulesOf(TRADE)).toEqual([])
})

test('takes two trades that are alike for two if they name no id', () => {
  const { rulesOf } = watch('trades:a')
  const nameless = { type: 'Trade', data: { pool: 'a' } }
  expect([rulesOf(nameless), rulesOf(nameless)]).toEqual([[], []])
})

test('finds an event without data, and a figure that is a number', () => {
  const { rulesOf } = watch('trades:a')
  expect(rulesOf({ type: 'Trade' })).toEqual(['ws.event.shape'])
  expect(rulesOf({ ...TRADE, data: { ...TRADE.data, id: '3', amount0: 5 } })).toEqual([
    'ws.event.exact-values',
  ])
})
