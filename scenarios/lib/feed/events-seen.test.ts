import { expect, test } from 'vitest'
import { exactFields, isExactName, repeats } from './events-seen.ts'

test.each([
  ['price', true],
  ['priceUsd', true],
  ['price_usd', true],
  ['amount0', true],
  ['amount_in', true],
  ['volumeUsd', true],
  ['TVL', true],
  ['balance1', true],
  ['liquidity', true],
  ['tick', false],
  ['price_change_pct', false],
  ['volume_rank', false],
  ['liquidity_providers', false],
  ['usd', false],
])('%s is financial: %j', (name, expected) => {
  expect(isExactName(name)).toBe(expected)
})

test('finds financial fields at any depth, and tells texts from numbers', () => {
  const data = {
    price: '1.5',
    tick: 3,
    windows: { day: { volume0: 12, volume_usd: null } },
    rows: [{ amount: 1 }],
  }
  expect(exactFields(data)).toEqual({ texts: ['price'], numbers: ['windows.day.volume0', 'rows.0.amount'] })
})

test.each([null, 'text', 7, undefined])('%j has none', (value) => {
  expect(exactFields(value)).toEqual({ texts: [], numbers: [] })
})

const message = (id: unknown, amount: string) => {
  const json = { type: 'Trade', data: { id, amount } }
  return { type: 'Trade', json, text: JSON.stringify(json) }
}

test('a repeat has the same id and the same words', () => {
  const [first, again, other] = [message('t1', '5'), message('t1', '5'), message('t1', '6')]
  expect(repeats([first, other, again, message('t2', '5')], 'data.id')).toEqual([again])
})

test('without an id two alike may be two', () => {
  expect(repeats([message(undefined, '5'), message(undefined, '5')], 'data.id')).toEqual([])
  expect(repeats([message('t1', '5'), message('t1', '5')], null)).toEqual([])
})
