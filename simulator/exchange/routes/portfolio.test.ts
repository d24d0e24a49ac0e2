import { expect, it } from 'vitest'
import {
  balanceBodySchema,
  balancesPageSchema,
  positionBodySchema,
  positionsPageSchema,
  swapsPageSchema,
  unclaimedBodySchema,
} from '../../../contract/schemas/portfolio.ts'
import { owedNow, toPositionRange } from '../../chain/ledger.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { createTestBed } from '../test-bed.ts'
import { watchedWorld } from '../test-world.ts'

const watched = watchedWorld(8)
const { world } = watched
const { chain } = world.state()
const bed = await createTestBed({ world })
const { trader, admin, stranger } = bed.wallets
provideLiquidity()
const BLOCK = world.views.head().height

/** Opens positions of the trader (one private) and of the administrator, then trades, so that the trader is owed fees. */
function provideLiquidity(): void {
  const [pool] = [...chain.pools.values()].filter(({ enabled }) => enabled)
  if (!pool) throw new Error('the world has pools')
  const { tickSpacing, tick } = pool.amm
  const center = Math.floor(tick / tickSpacing) * tickSpacing
  const mint = (sender: string, isPrivate: boolean): Transaction => ({
    kind: 'mintPosition',
    sender,
    pool: pool.key,
    tickLower: center - 100 * tickSpacing,
    tickUpper: center + 100 * tickSpacing,
    liquidity: 10n ** 9n,
    isPrivate,
  })
  const funds = [pool.token0, pool.token1].map(
    (tokenId): Transaction => ({
      kind: 'mintToken',
      sender: world.administrator,
      tokenId,
      shares: [trader, admin].map(({ address }) => ({ recipient: address, amount: 10n ** 20n })),
    }),
  )
  for (const transaction of funds) world.submit(transaction)
  for (const transaction of [
    mint(trader.address, false),
    mint(trader.address, true),
    mint(admin.address, false),
  ])
    world.submit(transaction)
  const swap: Transaction = {
    kind: 'swap',
    sender: trader.address,
    recipient: admin.address,
    tokenIn: pool.token0,
    pools: [pool.key],
    amountIn: 10n ** 7n,
    amountOutMin: 0n,
    isPrivate: true,
  }
  world.submit(swap)
  world.submit({ ...swap, recipient: stranger.address })
  world.mine(1)
  const [first = ''] = chain.positionsByOwner.get(trader.address) ?? []
  world.submit({ kind: 'freezePosition', sender: world.administrator, position: first })
  world.mine(3)
}

async function read(url: string, wallet = trader) {
  const response = await bed.call(url, bed.bearer(wallet))
  expect([url, response.statusCode]).toEqual([url, 200])
  return response.json()
}

it.each([
  ['/positions', positionsPageSchema],
  ['/balances', balancesPageSchema],
  ['/unclaimed', unclaimedBodySchema],
  ['/swaps', swapsPageSchema],
])('%s fits its schema', async (url, schema) => {
  const body = await read(url)
  expect(schema.parse(body)).toEqual(body)
  expect([body.data, body.data.pending_swaps]).not.toEqual([[], undefined])
})

it('/positions are the caller’s, private ones too, as on the chain', async () => {
  for (const wallet of [trader, admin]) {
    const own = [...chain.positions.values()].filter(({ owner }) => owner === wallet.address)
    const { data, pagination, observed_block } = await read('/positions', wallet)
    expect([pagination.total, observed_block]).toEqual([own.length, BLOCK])
    expect(data.map(({ token_id }: { token_id: string }) => token_id)).toEqual(own.map(({ id }) => id))
    for (const [place, position] of own.entries()) {
      const pool = chain.pools.get(position.pool)
      if (!pool) throw new Error('a position is in a pool')
      const { liquidity, owed0, owed1 } = owedNow(pool.amm, toPositionRange(position))
      expect(data[place]).toMatchObject({
        owner: wallet.address,
        pool: pool.key,
        fee: `${pool.amm.feePips}`,
        tick_lower: position.tickLower,
        tick_upper: position.tickUpper,
        liquidity: `${liquidity}`,
        tokens_owed0: `${owed0}`,
        tokens_owed1: `${owed1}`,
        in_range: position.tickLower <= pool.amm.tick && pool.amm.tick < position.tickUpper,
        is_private: position.isPrivate,
        is_frozen: position.frozenAtMs !== null,
        token0_info: { id: pool.token0, decimals: chain.tokens.get(pool.token0)?.decimals },
        token1_info: { id: pool.token1, symbol: chain.tokens.get(pool.token1)?.symbol },
      })
      const frozenAt = position.frozenAtMs === null ? undefined : new Date(position.frozenAtMs).toISOString()
      expect(data[place].frozen_at).toBe(frozenAt)
    }
  }
  const { data } = await read('/positions')
  expect(data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ is_private: false, is_frozen: true }),
      expect.objectContaining({ is_private: true, is_frozen: false, in_range: true }),
    ]),
  )
  for (const name of ['amount0', 'amount1']) expect(BigInt(data.at(-1)[name])).toBeGreaterThan(0n)
})

it('/positions/{token_id} is one of the caller’s, never another wallet’s', async () => {
  const { data } = await read('/positions')
  for (const row of data) {
    const body = await read(`/positions/${row.token_id}`)
    expect(positionBodySchema.parse(body)).toEqual({ data: { ...row, observed_block: BLOCK } })
    const requested = await bed.call(`/positions/${row.token_id}`, bed.bearer(admin))
    expect([requested.statusCode, requested.json().code]).toEqual([404, 'position_not_found'])
  }
  for (const id of ['unknown', '1field', `${data[0].token_id}%20`]) {
    expect((await bed.call(`/positions/${id}`, bed.bearer())).statusCode).toBe(404)
  }
  expect((await bed.call(`/positions/${'9'.repeat(513)}`, bed.bearer())).statusCode).toBe(400)
})

it('/balances are the chain’s, and only the caller’s', async () => {
  for (const wallet of [trader, admin]) {
    const held = [...(chain.balances.get(wallet.address) ?? [])]
    const { data, pagination, observed_block } = await read('/balances?limit=100', wallet)
    expect([pagination.total, observed_block]).toEqual([held.length, BLOCK])
    expect(data.map((row: Record<string, string>) => [row.token, row.balance])).toEqual(
      held.map(([id, balance]) => [id, `${balance}`]),
    )
    for (const row of data) {
      expect(row.token_info.symbol).toBe(chain.tokens.get(row.token)?.symbol)
      const body = await read(`/balances/${row.token}`, wallet)
      expect(balanceBodySchema.parse(body)).toEqual({ data: { ...row, observed_block: BLOCK } })
    }
  }
})

it('/balances/{token_id} is 0 for a token that the caller never had, and 404 for an unknown one', async () => {
  const held = chain.balances.get(trader.address)
  const token = [...chain.tokens.keys()].find((id) => !held?.has(id)) ?? ''
  expect((await read(`/balances/${token}`)).data).toMatchObject({
    token,
    balance: '0',
    token_info: { id: token },
  })
  for (const id of ['unknown', '1field', `${token}%20`]) {
    const response = await bed.call(`/balances/${id}`, bed.bearer())
    expect([response.statusCode, response.json().code]).toEqual([404, 'token_not_found'])
  }
})

it('/unclaimed are the outputs that the chain holds for the caller, and the tokens owed to its positions', async () => {
  for (const wallet of [trader, admin]) {
    const { data } = await read('/unclaimed', wallet)
    const pending = [...chain.pendingOutputs.values()].filter(({ recipient }) => recipient === wallet.address)
    expect(pending.length).toBeGreaterThan(0)
    expect(data.pending_swaps.map((row: { swap_id: string }) => row.swap_id)).toEqual(
      pending.map(({ swapId }) => swapId),
    )
    const executed = new Map(watched.events('swapExecuted').map((placed) => [placed.event.swapId, placed]))
    for (const [place, { swapId, amountRemaining, tokenId }] of pending.entries()) {
      const { event, transaction } = executed.get(swapId) ?? {}
      expect(data.pending_swaps[place]).toMatchObject({
        swap_tx_hash: transaction,
        is_multi_hop: (event?.hops.length ?? 0) > 1,
        is_private: event?.isPrivate,
        output: {
          amount_out: `${event?.amountOut}`,
          amount_remaining: `${amountRemaining}`,
          recipient: wallet.address,
          token_in: event?.tokenIn,
          token_out: tokenId,
        },
        token_in_info: { id: event?.tokenIn },
        token_out_info: { id: tokenId },
      })
    }
    const positions = (await read('/positions', wallet)).data
    const owed = positions.filter(
      (row: Record<string, string>) => row.tokens_owed0 !== '0' || row.tokens_owed1 !== '0',
    )
    expect(owed.length).toBeGreaterThan(0)
    const { owner: _, fee: __, liquidity: ___, ...one } = owed[0]
    const { amount0: _0, amount1: _1, in_range: _2, created_at: _3, ...shown } = one
    expect(data.positions_with_owed[0]).toEqual(shown)
    expect(data.positions_with_owed).toHaveLength(owed.length)
  }
})

it('/swaps shows private ones only to their user and their recipient', async () => {
  const executed = watched
    .events('swapExecuted')
    .map(({ event }) => event)
    .reverse()
  for (const { address } of [trader, admin]) {
    const visible = executed.filter(
      ({ isPrivate, user, recipient }) => !isPrivate || user === address || recipient === address,
    )
    const wallet = address === trader.address ? trader : admin
    const rows: { swap_id: string }[] = []
    for (;;) {
      const { data, pagination } = await read(`/swaps?limit=90&offset=${rows.length}`, wallet)
      expect(pagination.total).toBe(visible.length)
      rows.push(...data)
      if (data.length === 0) break
    }
    expect(rows.map(({ swap_id }) => swap_id)).toEqual(visible.map(({ swapId }) => swapId))
  }
  const toAdmin = executed.find(({ isPrivate, user, recipient }) => isPrivate && user !== recipient)
  expect(toAdmin).toBeDefined()
})

it('returns empty results for a wallet without assets', async () => {
  const own = await createTestBed()
  for (const [url, data] of [
    ['/positions', []],
    ['/balances', []],
    ['/unclaimed', { pending_swaps: [], positions_with_owed: [] }],
  ] as const) {
    expect((await own.call(url, own.bearer())).json().data).toEqual(data)
  }
})
