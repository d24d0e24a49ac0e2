import { expect, test } from 'vitest'
import { findOpenInexact } from './open-reads.ts'

const CHOICES = { positionsPath: '/positions', balancesPath: null }
const JSON_OF_NUMBERS = { data: [{ volume0: 7, tick: 3, price: '1,005.5' }] }

function find(path: string, { route, status = 200 }: { route?: string; status?: number } = {}) {
  const spec = { method: 'GET' as const, path, ...(route !== undefined && { route }) }
  return findOpenInexact(spec, { status, json: JSON_OF_NUMBERS }, CHOICES)
}

test.each([
  { path: '/pools/stats' },
  { path: '/pools/a%3Ab/ohlcv', route: '/pools/{key}/ohlcv' },
  { path: '/positions' },
])('$path has a number', ({ path, ...options }) => {
  expect(find(path, options)).toEqual([
    'data.0.volume0 is a JSON number',
    'data.0.price has separators or other digits',
  ])
})

test.each([
  { path: '/pools' },
  { path: '/balances' },
  { path: '/aggregator/tickers' },
  { path: '/health' },
  { path: '/pools/stats', status: 400 },
])('$path is left alone', ({ path, ...options }) => {
  expect(find(path, options)).toEqual([])
})
