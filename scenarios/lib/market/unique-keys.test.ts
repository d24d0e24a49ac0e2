import { expect, test } from 'vitest'
import { uniqueKeys } from './unique-keys.ts'

const row = (token0: string, fee: string, key: string) => ({ token0, token1: 'b', fee, key })

test('tells pools apart by tokens and fee, and leaves out those that share them', () => {
  const rows = [row('a', '1', 'k1'), row('a', '2', 'k2'), row('c', '1', 'k3'), row('c', '1', 'k4')]
  expect([...uniqueKeys(rows).values()]).toEqual(['k1', 'k2'])
})
