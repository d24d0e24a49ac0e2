import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { createFrameCheck } from './frames.ts'

const trade = { type: 'Trade', data: { id: '1', pool: 'k', amount0: '5', price_usd: '1' } }
const config = {
  type: 'ProtocolConfigChanged',
  data: { revision: 5, observed_block: 9, changes: [{ scope: 's', key: 'k' }] },
}

/** The rules that the last frame breaks. */
function find(rooms: readonly string[], ...frames: unknown[]): string[] {
  const check = createFrameCheck(choicesSchema.parse({}))
  for (const room of rooms) check.sent(JSON.stringify({ action: 'subscribe', room }))
  const found = frames.map((frame) =>
    check.received(typeof frame === 'string' ? frame : JSON.stringify(frame)),
  )
  return found.at(-1)?.map(({ rule }) => rule) ?? []
}

const ROOMS = ['trades:k', 'protocol_config']

test.each([
  ['a trade', trade, []],
  ['no data', { type: 'Trade' }, ['ws.event.shape']],
  ['data as text', { ...trade, data: '{}' }, ['ws.event.shape']],
  ['data as a list', { ...trade, data: [] }, ['ws.event.shape']],
  ['an amount as a number', { ...trade, data: { ...trade.data, amount0: 5 } }, ['ws.event.exact-values']],
  ['an inner number', { ...trade, data: { ...trade.data, in: { price_usd: 1 } } }, ['ws.event.exact-values']],
  [
    'an amount with separators',
    { ...trade, data: { ...trade.data, amount0: '1,000' } },
    ['ws.event.exact-values'],
  ],
  ['a number that is no amount', { ...trade, data: { ...trade.data, tick: 1 } }, []],
  ['another pool', { ...trade, data: { ...trade.data, pool: 'j' } }, ['ws.rooms.only-subscribed']],
  ['another type', { type: 'PoolLaunch', data: {} }, ['ws.rooms.only-subscribed']],
  ['a change', config, []],
  ['no block', { ...config, data: { ...config.data, observed_block: undefined } }, ['ws.event.config']],
  ['no changes', { ...config, data: { ...config.data, changes: [] } }, ['ws.event.config']],
  ['no scope', { ...config, data: { ...config.data, changes: [{ key: 'k' }] } }, ['ws.event.config']],
  ['an unknown control', { control: 'anything', type: 'Trade' }, []],
  ['an unknown type, which may be an error', { type: 'Error' }, []],
  ['no JSON', 'pong', []],
])('%s', (_, frame, rules) => {
  expect(find(ROOMS, frame)).toEqual(rules)
})

test('a room that was left may still deliver, one that was never joined may not', () => {
  const check = createFrameCheck(choicesSchema.parse({}))
  expect(check.received(JSON.stringify(trade)).map(({ rule }) => rule)).toEqual(['ws.rooms.only-subscribed'])
  check.sent(JSON.stringify({ action: 'subscribe', room: 'trades:k' }))
  check.sent(JSON.stringify({ action: 'unsubscribe', room: 'trades:k' }))
  expect(check.received(JSON.stringify({ ...trade, data: { ...trade.data, id: '2' } }))).toEqual([])
})

test.each([
  ['balances:0xAb', { type: 'BalanceChange', data: { address: '0xaB' } }, []],
  ['balances:0xAb', { type: 'BalanceChange', data: { address: '0xac' } }, ['ws.rooms.only-subscribed']],
  ['trades:K', trade, ['ws.rooms.only-subscribed']],
])('addresses are equal in any case, pool keys only as they are: %s, %j', (room, frame, rules) => {
  expect(find([room], frame)).toEqual(rules)
})

test('a trade comes once, except after a resync', () => {
  const other = { ...trade, data: { ...trade.data, id: '2' } }
  const unnamed = { ...trade, data: { pool: 'k' } }
  expect(find(ROOMS, trade, other)).toEqual([])
  expect(find(ROOMS, trade, other, trade)).toEqual(['ws.delivery.at-most-once'])
  expect(find(ROOMS, unnamed, unnamed)).toEqual([])
  expect(find(ROOMS, trade, { control: 'resync_required' }, trade)).toEqual([])
})
