import { expect, it, test } from 'vitest'
import { tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createTestWorld, tokenBySymbol } from '../test-world.ts'
import { feePercent, orderRows, readPageFromEnd, swapRecord, tokenInfo } from './records.ts'

it.each([
  [3000, '0.3'],
  [500, '0.05'],
  [100, '0.01'],
  [1, '0.0001'],
  [10_000, '1'],
  [12_500, '1.25'],
  [0, '0'],
])('writes a fee of %i hundredths of a basis point as %s percent', (feePips, percent) => {
  expect(feePercent(feePips)).toBe(percent)
})

const { views } = createTestWorld()

it('omits fields that a token does not have', () => {
  const token = {
    ...tokenBySymbol(views, 'USDC'),
    image: null,
    underlyingProgram: 'under.program',
    underlyingTokenId: null,
  }
  expect(tokenInfoSchema.strict().parse(tokenInfo(token, defaultChoices))).toEqual({
    address: token.address,
    decimals: token.decimals,
    id: token.id,
    name: token.name,
    symbol: 'USDC',
    amm_token_program: token.ammTokenProgram,
    underlying_program: 'under.program',
  })
})

it('keeps amounts beyond 64 bits exact, and shows the claim of a claimed swap only', () => {
  const [swap] = views.swaps({ viewer: null, limit: 1, offset: 0 }).rows
  if (!swap) throw new Error('the test world has swaps')
  const claimed = { ...swap, inputAmount: 2n ** 70n, claimTx: 'claim', claimedAtMs: 0 }
  expect(swapRecord(claimed, defaultChoices)).toMatchObject({
    input_amount: '1180591620717411303424',
    pool: swap.hops[0]?.pool,
    claim_tx: 'claim',
    claimed_at: '1970-01-01T00:00:00.000Z',
  })
  const open = swapRecord({ ...swap, claimTx: null, claimedAtMs: null }, defaultChoices)
  expect(open).not.toHaveProperty('claim_tx')
  expect(open).not.toHaveProperty('claimed_at')
})

const ROWS = Array.from({ length: 25 }, (_, index) => index)
const read = ({ limit, offset }: { limit: number; offset: number }) => ({
  rows: ROWS.slice(offset, offset + limit),
  total: ROWS.length,
})

test.each([1, 7, 24, 25, 26])('pages of %d rows from the end make up the reversed list', (limit) => {
  const rows: number[] = []
  for (let offset = 0; offset < ROWS.length; offset += limit) {
    const page = readPageFromEnd(read, { limit, offset })
    expect(page.total).toBe(ROWS.length)
    rows.push(...page.rows)
  }
  expect(rows).toEqual(ROWS.toReversed())
  expect(readPageFromEnd(read, { limit, offset: 25 }).rows).toEqual([])
  expect(readPageFromEnd(read, { limit, offset: 99 }).rows).toEqual([])
})

test('a list is reversed if the choices say so', () => {
  expect(orderRows([1, 2, 3], 'oldest first')).toEqual([1, 2, 3])
  expect(orderRows([1, 2, 3], 'newest first')).toEqual([3, 2, 1])
})
