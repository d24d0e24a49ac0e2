import { expect, test } from 'vitest'
import { searchSubjects, tradesToken } from './search-subjects.ts'

const row = (symbol0: string, symbol1: string) => ({
  token0: `id of ${symbol0}`,
  token0Symbol: symbol0,
  token1: `id of ${symbol1}`,
  token1Symbol: symbol1,
})

test('single words first, then those of few pools; each once', () => {
  const rows = [row('USDC', 'ETH'), row('USDC', 'Two words'), row('USDC', 'BTC'), row('ETH', 'BTC')]
  expect(searchSubjects(rows, 'Symbol').map(({ text }) => text)).toEqual(['ETH', 'BTC', 'USDC', 'Two words'])
  expect(searchSubjects(rows, 'Symbol')[0]).toEqual({ text: 'ETH', token: 'id of ETH' })
})

test.each(['<b>', 'naïve', '', ' padded', 'a%b', 'X', 'T1'])('leaves %j alone', (symbol) => {
  expect(searchSubjects([row(symbol, 'USDC')], 'Symbol').map(({ text }) => text)).toEqual(['USDC'])
})

test('knows the pools of a token', () => {
  expect(tradesToken(row('USDC', 'ETH'), 'id of ETH')).toBe(true)
  expect(tradesToken(row('USDC', 'ETH'), 'ETH')).toBe(false)
})
