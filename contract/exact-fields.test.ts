import { expect, test } from 'vitest'
import { exactFields, findInexact, isExactName } from './exact-fields.ts'

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
  ['input_amount', true],
  ['amount_remaining', true],
  ['tokens_owed0', true],
  ['fee', true],
  ['fee_tier', false],
  ['feePercent', false],
  ['tick', false],
  ['open', false],
  ['price_change_pct', false],
  ['volume_rank', false],
  ['liquidity_providers', false],
  ['usd', false],
  ['volume_usd_24h', true],
  ['volume24hUsd', true],
  ['volume0_7d', true],
  ['sqrt_price', true],
  ['sqrtPriceX96', true],
  ['reserve0', true],
  ['reserve_id', false],
  ['price_updated_1h', false],
  ['amount0_decimals', false],
  ['trades_24h', false],
  ['timestamp', false],
])('%s is financial: %j', (name, expected) => {
  expect(isExactName(name)).toBe(expected)
})

test('finds financial fields at any depth, strings and numbers', () => {
  const data = {
    price: '1.5',
    tick: 3,
    windows: { day: { volume0: 12, volume_usd: null } },
    rows: [{ amount: 1 }],
  }
  expect(exactFields(data)).toEqual({
    texts: ['price'],
    misspelled: [],
    numbers: ['windows.day.volume0', 'rows.0.amount'],
  })
})

test.each([
  [{ open: 1, high: 2, low: 0.5, close: 1 }, ['open', 'high', 'low', 'close']],
  [{ candle: { o: 1, h: 2, l: 1, c: '1', t: 5 } }, ['candle.o', 'candle.h', 'candle.l']],
  [{ open: 1_700_000_000, close: 1_700_000_060, high: '2', low: '1' }, []],
  [{ open: '1', high: '2', low: '1', close: '1', start: 5 }, []],
])('prices of the candle %j that are numbers', (data, numbers) => {
  expect(exactFields(data).numbers).toEqual(numbers)
})

test('also after more names than are remembered', () => {
  for (let at = 0; at < 1100; at++) expect(isExactName(`name_${at}`)).toBe(false)
  for (const name of ['late_one', 'late_one']) expect(isExactName(name)).toBe(false)
  for (const name of ['T_V_L', 'T_V_L', 'price']) expect(isExactName(name)).toBe(true)
})

test.each([null, 'text', 7, undefined])('%j has none', (value) => {
  expect(exactFields(value)).toEqual({ texts: [], misspelled: [], numbers: [] })
})

test.each([
  '0',
  '0.0',
  '1.50',
  '-12',
  '12345678901234567890',
  '-0.001',
  '',
  'unknown',
  '0.3%',
  '5 USD',
  '0x1f',
  '1/2',
  '7.0E-3',
  '+5',
  '007',
  '.5',
])('%j is no number with separators', (price) => {
  expect(exactFields({ price })).toEqual({ texts: ['price'], misspelled: [], numbers: [] })
})

test.each(['1,234.5', '-1,5', '1 234', '٣', '1_000'])(
  '%j is a number with separators or other digits',
  (price) => {
    expect(exactFields({ rows: [{ price }] }).misspelled).toEqual(['rows.0.price'])
  },
)

test('a long text is read once', () => {
  const text = `${'1 '.repeat(500_000)}x`
  expect(exactFields({ price: text, [`price${'1'.repeat(500_000)}x`]: 1 })).toMatchObject({
    misspelled: [],
    numbers: [],
  })
})

test.each([
  [{ fee: 3000 }, []],
  [{ pool: { fee: 3000, price: 1 } }, ['pool.price is a JSON number']],
  [{ fee: 0.003 }, ['fee is a JSON number']],
  [{ fee_usd: 3, amount0: 5 }, ['fee_usd is a JSON number', 'amount0 is a JSON number']],
])('%j in an event: %j', (data, problems) => {
  expect(findInexact(data)).toEqual(problems)
})
