import { beforeAll, expect, test } from 'vitest'
import type { Block, Receipt } from '../../chain/block.ts'
import { addressFrom } from '../../chain/identifiers.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { createTestBed, type TestBed } from '../test-bed.ts'
import { createTestWorld, type TestWorld, tokenBySymbol } from '../test-world.ts'

const SOMEBODY = addressFrom('somebody')

let world: TestWorld
let bed: TestBed
let head: Block

beforeAll(async () => {
  world = createTestWorld()
  bed = await createTestBed({ world })
  const block = world.node.block(world.node.state().height)
  if (!block) throw new Error('the test world has blocks')
  head = block
})

const get = async (path: string) => {
  const response = await bed.call(`/debug/${path}`, bed.bearer())
  return { status: response.statusCode, body: response.json() }
}
const data = async (path: string) => (await get(path)).body.data
const findId = (kind: string): string => idWhere((receipt) => receipt.kind === kind)
const findSwapId = ({ isPrivate }: { isPrivate: boolean }): string =>
  idWhere(({ events }) =>
    events.some((event) => event.kind === 'swapExecuted' && event.isPrivate === isPrivate),
  )
const idWhere = (matches: (receipt: Receipt) => boolean): string => {
  for (let height = 0; height <= head.height; height++) {
    const found = world.node.block(height)?.receipts.find(matches)
    if (found) return found.id
  }
  throw new Error('the test world has no such transaction')
}

test('shows a block by height, by hash and as the latest', async () => {
  const expected = {
    height: head.height,
    hash: head.hash,
    parent_hash: head.parentHash,
    timestamp: '2025-01-01T00:00:00.000Z',
    transactions: head.receipts.map(({ id }) => id),
  }
  for (const name of ['latest', String(head.height), head.hash])
    expect(await data(`block/${name}`)).toEqual(expected)
  expect((await data(`block/${head.height - 1}`)).hash).toBe(head.parentHash)
})

test.each([
  ['block/999999999999999999999', 404, 'block_not_found'],
  [`block/${'0'.repeat(64)}`, 404, 'block_not_found'],
  ['block/-1', 400, 'invalid_request'],
  ['block/007', 400, 'invalid_request'],
  ['block/newest', 400, 'invalid_request'],
  ['transaction/at1unknown', 404, 'transaction_not_found'],
  ['program/made_up.program', 404, 'program_not_found'],
  ['program/constructor', 404, 'program_not_found'],
  ['program/faucet.program/mapping/constructor/name', 404, 'mapping_not_found'],
  ['program/faucet.program/mapping/last_claims/nobody', 404, 'mapping_not_found'],
])('%s returns %i', async (path, status, code) => {
  expect(await get(path)).toMatchObject({ status, body: { code } })
})

test('shows a transaction with its effects', async () => {
  const id = findSwapId({ isPrivate: false })
  const shown = await data(`transaction/${id}`)
  const { block, index, ...rest } = shown
  expect(world.node.block(block)?.receipts[index]?.id).toBe(id)
  expect(rest).toMatchObject({ id, status: 'accepted', type: 'swap', sender: expect.stringMatching(/^bw1/) })
  const swap = shown.events.find(({ type }: { type: string }) => type === 'swap_executed')
  expect(swap).toMatchObject({
    input_amount: expect.stringMatching(/^[1-9]\d*$/),
    user: rest.sender,
    is_private: false,
  })
})

test.each([
  ['a position', () => findId('mintPosition')],
  ['an output', () => findId('claim')],
  ['a private swap', () => findSwapId({ isPrivate: true })],
])('does not show the owner of %s', async (_, find) => {
  const shown = await data(`transaction/${find()}`)
  expect(shown).not.toHaveProperty('sender')
  expect(JSON.stringify(shown)).not.toContain('bw1')
  expect(shown.events.length).toBeGreaterThan(0)
})

test('shows a pending transaction, and one that the chain refused', async () => {
  const own = createTestWorld()
  const ownBed = await createTestBed({ world: own })
  const claim = () => own.node.submit({ kind: 'claimFaucet', sender: SOMEBODY, recipient: SOMEBODY })
  const [first, second] = [claim(), claim()]
  const show = async (id: string) =>
    (await ownBed.call(`/debug/transaction/${id}`, ownBed.bearer())).json().data
  const requested = { type: 'claim_faucet', sender: SOMEBODY }
  expect(await show(second)).toEqual({ ...requested, id: second, status: 'pending', events: [] })
  own.mine()
  expect(await show(first)).toMatchObject({ ...requested, id: first, status: 'accepted', index: 0 })
  expect(await show(second)).toMatchObject({ status: 'refused', reason: 'faucet-too-soon', events: [] })
})

test('shows the state of programs', async () => {
  const usdc = tokenBySymbol(world.views, 'USDC')
  const [pool] = world.views.pools({ limit: 1, offset: 0 }).rows
  if (!pool) throw new Error('the test world has pools')
  const { mappings } = await data('program/exchange.program')
  expect(mappings).toEqual([{ name: 'pools', key: expect.any(String), size: world.node.state().pools.size }])
  expect(await data(`program/exchange.program/mapping/pools/${pool.key}`)).toMatchObject({
    mapping: 'pools',
    key: pool.key,
    block: head.height,
    value: {
      token0: pool.token0.id,
      fee: String(pool.feePips),
      tick: pool.tick,
      sqrt_price_x96: String(pool.sqrtPriceX96),
      balance0: String(pool.balance0),
    },
  })
  const valueAt = async (path: string) => (await data(`program/${path}`)).value
  expect(await valueAt(`token_registry.program/mapping/tokens/${usdc.id}`)).toEqual({
    amm_token_program: usdc.ammTokenProgram,
    decimals: usdc.decimals,
    supply: String(usdc.supply),
  })
  const { revision } = world.views.protocolState()
  expect(await valueAt('configuration.program/mapping/state/current')).toMatchObject({ revision })
  expect(await valueAt('configuration.program/mapping/fee_tiers/3000')).toMatchObject({ tick_spacing: 60 })
  expect(await valueAt(`faucet.program/mapping/grants/${usdc.id}`)).toEqual({ amount: expect.any(String) })
})

test('requires credentials', async () => {
  expect((await bed.call('/debug/block/latest')).statusCode).toBe(401)
})

test('choices alternative: ids have another spelling in requests and responses', async () => {
  const other = await createTestBed({ world: { ...world, include() {} }, choices: alternativeChoices })
  const request = async (path: string) =>
    (await other.call(`${alternativeChoices.debug.prefix}/${path}`)).json().data
  const [pool] = world.views.pools({ limit: 1, offset: 0 }).rows
  const key = alternativeChoices.wire.poolKey.encode(pool?.key ?? '')
  const { value } = await request(`program/exchange.program/mapping/pools/${encodeURIComponent(key)}`)
  expect(alternativeChoices.wire.tokenId.decode(value.token0)).toBe(pool?.token0.id)
  const { sender } = await request(`transaction/${findSwapId({ isPrivate: false })}`)
  expect(alternativeChoices.wire.address.decode(sender)).toMatch(/^bw1/)
})
