import { expect, test } from 'vitest'
import { choicesSchema } from '../contract/profile.ts'
import { recall } from './memory.ts'
import type { ExploreTarget } from './target.ts'

test('the fee of a pool is that of /pools, and only rows that say so are enabled', async () => {
  const row = { key: 'k', token0: 'a', token1: 'b', fee: '30' }
  const rows = [row, { ...row, enabled: false }, { ...row, enabled: true }]
  const target: Partial<ExploreTarget> = {
    profile: { choices: choicesSchema.parse({}) } as ExploreTarget['profile'], // as: nothing else of it is read
    nowMs: () => 0,
    request: async () => ({
      status: 200,
      body: { data: rows, pagination: { total: rows.length } },
      cookies: {},
    }),
  }
  const { pools } = await recall(target as ExploreTarget).catalog() // as: the only part used
  expect(pools.map(({ from, fee, isEnabled }) => [from, fee, isEnabled])).toEqual([
    ['/explore/pools', undefined, false],
    ['/explore/pools', undefined, false],
    ['/explore/pools', undefined, true],
    ['/pools', '30', false],
    ['/pools', '30', false],
    ['/pools', '30', true],
  ])
})
