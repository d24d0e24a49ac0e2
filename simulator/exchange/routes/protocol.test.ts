import { expect, it } from 'vitest'
import {
  complianceBodySchema,
  compliancePairsPageSchema,
  compliancePauseBodySchema,
  compliancePoolCreationBodySchema,
  compliancePoolsPageSchema,
  complianceTokensPageSchema,
} from '../../../contract/schemas/protocol.ts'
import { pairKey } from '../../chain/pair.ts'
import type { ConfigChange } from '../../chain/transaction.ts'
import { createTestBed } from '../test-bed.ts'
import { createTestWorld, watchedWorld } from '../test-world.ts'

it('serves the state with its revision', async () => {
  const bed = await createTestBed()
  expect((await bed.call('/protocol/state')).json()).toEqual({
    data: {
      revision: bed.views.protocolState().revision,
      observed_block: 60,
      paused: false,
      pool_creation: 'open',
      allowlist_enabled: false,
      fee_tiers: [
        { fee_tier: 500, tick_spacing: 10 },
        { fee_tier: 3000, tick_spacing: 60 },
        { fee_tier: 10000, tick_spacing: 200 },
      ],
    },
  })
})

it('returns 503 with Retry-After until the minimum revision is indexed', async () => {
  const world = createTestWorld()
  const bed = await createTestBed({ world })
  world.holdIndexer()
  world.changeConfig({ scope: 'pause', key: 'all' })
  world.mine()
  const revision = world.chainRevision()
  const get = () => bed.call(`/protocol/state?minimum_revision=${revision}`)
  const pending = await get()
  expect([pending.statusCode, pending.json().code, pending.headers['retry-after']]).toEqual([
    503,
    'protocol_revision_pending',
    '1',
  ])
  world.releaseIndexer()
  expect((await get()).json().data.revision).toBe(revision)
})

it.each(['0', '1'])('serves a minimum revision of %s that has been reached', async (minimum) => {
  const bed = await createTestBed()
  expect((await bed.call(`/protocol/state?minimum_revision=${minimum}`)).statusCode).toBe(200)
})

it.each([
  '',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e1',
  '%201',
  '0x1',
  '%D9%A1',
  '9007199254740992',
  '1&minimum_revision=2',
])('returns 400 for the minimum revision "%s"', async (minimum) => {
  const bed = await createTestBed()
  expect((await bed.call(`/protocol/state?minimum_revision=${minimum}`)).statusCode).toBe(400)
})

it('serves the compliance state', async () => {
  const bed = await createTestBed()
  expect((await bed.call('/compliance')).json()).toEqual({
    data: {
      revision: bed.views.protocolState().revision,
      paused: false,
      pool_creation: 'open',
      allowlist_enabled: false,
    },
  })
})

async function configured(
  changes: (keys: { pool: string; pairs: string[]; token: string }) => ConfigChange[],
) {
  const { world } = watchedWorld(6)
  const { chain } = world.state()
  const pools = [...chain.pools.values()]
  const pairs = pools.slice(0, 2).map(({ token0, token1 }) => pairKey(token0, token1))
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
])('/compliance%s fits its schema, and equals the chain’s state from the start', async (path, schema) => {
  const { read, chain } = await configured(() => [])
  const body = await read(`/compliance${path}`)
  expect(schema.parse(body)).toEqual(body)
  const { revision, paused, poolCreation, allowlistEnabled } = chain.configuration
  const flags = { revision, paused, pool_creation: poolCreation, allowlist_enabled: allowlistEnabled }
  if (path === '') expect(body.data).toEqual(flags)
  if (path === '/tokens') expect(body.pagination.total).toBe(chain.allowlist.tokens.size)
})

it('follows the administrator’s changes', async () => {
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
