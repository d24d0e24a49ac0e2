import { expect, it } from 'vitest'
import {
  complianceBodySchema,
  compliancePairsPageSchema,
  compliancePauseBodySchema,
  compliancePoolCreationBodySchema,
  compliancePoolsPageSchema,
  complianceTokensPageSchema,
} from '../../../contract/schemas/compliance.ts'
import { pairOf } from '../../chain/pair.ts'
import type { ConfigChange } from '../../chain/transaction.ts'
import { createTestBed } from '../test-bed.ts'
import { watchedWorld } from '../test-watched-world.ts'

async function configured(
  changes: (keys: { pool: string; pairs: string[]; token: string }) => ConfigChange[],
) {
  const { world } = watchedWorld(6)
  const { chain } = world.state()
  const pools = [...chain.pools.values()]
  const pairs = pools.slice(0, 2).map(({ token0, token1 }) => pairOf(token0, token1))
  const [pool = '', token = ''] = [pools[2]?.key, pools[0]?.token0]
  for (const change of changes({ pool, pairs, token })) world.changeConfig(change)
  world.mine()
  const bed = await createTestBed({ world })
  const read = async (url: string) => {
    const response = await bed.call(url)
    expect([url, response.statusCode]).toEqual([url, 200])
    return response.json()
  }
  return { chain, read, pool, pairs, token }
}

it.each([
  ['', complianceBodySchema],
  ['/pause', compliancePauseBodySchema],
  ['/pool-creation', compliancePoolCreationBodySchema],
  ['/tokens', complianceTokensPageSchema],
  ['/pairs', compliancePairsPageSchema],
  ['/pools', compliancePoolsPageSchema],
])('/compliance%s fits its schema, and is what the chain has from the start', async (path, schema) => {
  const { read, chain } = await configured(() => [])
  const body = await read(`/compliance${path}`)
  expect(schema.parse(body)).toEqual(body)
  const { revision, paused, poolCreation, allowlistEnabled } = chain.configuration
  const flags = { revision, paused, pool_creation: poolCreation, allowlist_enabled: allowlistEnabled }
  if (path === '') expect(body.data).toEqual(flags)
  if (path === '/tokens') expect(body.pagination.total).toBe(chain.allowlist.tokens.size)
})

it('follows what the administrator changes', async () => {
  const { chain, read, pool, pairs, token } = await configured(({ pool, pairs, token }) => [
    { scope: 'pause', key: 'all' },
    { scope: 'pause', key: pool },
    ...pairs.map((key) => ({ scope: 'pause' as const, key })),
    { scope: 'allowlist', key: pairs[0] ?? '' },
    { scope: 'allowlist', key: token },
    { scope: 'allowlist', key: 'enabled' },
    { scope: 'pool_creation', key: 'gate' },
  ])
  const { revision } = chain.configuration
  const gated = chain.configuration.poolCreation
  const observed_block = chain.height
  const { paused } = chain.configuration
  expect((await read('/compliance')).data).toMatchObject({ revision, paused, pool_creation: gated })
  const pause = (await read('/compliance/pause')).data
  expect(pause).toEqual({
    revision,
    observed_block,
    paused,
    paused_pairs: chain.pausedPairs.size,
    disabled_pools: [...chain.pools.values()].filter(({ enabled }) => !enabled).length,
  })
  expect((await read('/compliance/pool-creation')).data).toEqual({
    revision,
    observed_block,
    pool_creation: gated,
  })

  const disabled = (await read('/compliance/pools')).data
  expect(disabled.map(({ key }: { key: string }) => key)).toContain(pool)
  for (const row of disabled) expect(row).toEqual((await read(`/pools/${row.key}`)).data)

  const listed = (await read('/compliance/tokens?limit=100')).data.map(({ id }: { id: string }) => id)
  expect(listed).toEqual([...chain.allowlist.tokens])
  expect(listed.includes(token)).toBe(chain.allowlist.tokens.has(token))

  const rows = (await read('/compliance/pairs?limit=100')).data
  const names = rows.map(({ token0, token1 }: Record<string, string>) => `${token0}/${token1}`)
  expect(names).toEqual([...new Set([...chain.allowlist.pairs, ...chain.pausedPairs])])
  for (const [place, name] of names.entries()) {
    expect(rows[place]).toMatchObject({
      listed: chain.allowlist.pairs.has(name),
      paused: chain.pausedPairs.has(name),
    })
  }
  expect(names).toEqual(expect.arrayContaining(pairs))
})
