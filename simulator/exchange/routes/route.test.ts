import { expect, it } from 'vitest'
import { createTestBed, type TestBed } from '../test-bed.ts'
import { tokenBySymbol } from '../test-world.ts'

const bed = await createTestBed()
const [A, B, D, E] = ['USDC', 'T1', 'T3', 'T4'].map((symbol) => tokenBySymbol(bed.views, symbol).id)

const route = (query: string, target: TestBed = bed) =>
  target.call(`/route?${query}`, target.bearer(target.wallets.admin))

it('quotes a route with exact amounts and the revision it is based on', async () => {
  const quote = bed.views.route({ tokenIn: A ?? '', tokenOut: B ?? '', amountIn: 1_000_000n, hopsMax: 3 })
  const { pool } = quote?.hops[0] ?? {}
  const amountOut = String(quote?.amountOut)
  expect((await route(`token_in=${A}&token_out=${B}&amount_in=1000000`)).json()).toEqual({
    data: {
      token_in: A,
      token_out: B,
      amount_in: '1000000',
      amount_out: amountOut,
      hops: [{ pool, token_in: A, token_out: B, fee: '3000', amount_in: '1000000', amount_out: amountOut }],
      protocol_revision: bed.views.protocolState().revision,
      observed_block: 60,
    },
  })
  expect(BigInt(amountOut)).toBeGreaterThan(0n)
})

it.each(['1', '9007199254740993', '340282366920938463463374607431768211455'])(
  'reads the amount %s to the last digit',
  async (amount) => {
    const requested: bigint[] = []
    const own = await createTestBed()
    own.views.route = ({ amountIn }) => {
      requested.push(amountIn)
      return undefined
    }
    expect((await route(`token_in=${A}&token_out=${B}&amount_in=${amount}`, own)).statusCode).toBe(404)
    expect(requested.map(String)).toEqual([amount])
  },
)

it('serves three hops, and returns 404 for four', async () => {
  expect((await route(`token_in=${A}&token_out=${D}&amount_in=1000000`)).json().data.hops).toHaveLength(3)
  const none = await route(`token_in=${A}&token_out=${E}&amount_in=1000000`)
  expect([none.statusCode, none.json().code]).toEqual([404, 'no_route'])
})

it.each([
  ['an unknown token', `token_in=${A}&token_out=unknown`],
  ['a token itself', `token_in=${A}&token_out=${A}`],
])('has no route to %s', async (_, tokens) => {
  const none = await route(`${tokens}&amount_in=5`)
  expect([none.statusCode, none.json().code]).toEqual([404, 'no_route'])
})

it.each([
  '',
  '0',
  '-5',
  '+5',
  '05',
  '5.0',
  '5.',
  '.5',
  '1e6',
  '1E6',
  '0x10',
  '1,000',
  '1_000',
  '1%20000',
  '%205',
  '5%20',
  '5%0A',
  '%D9%A5',
  'NaN',
  'Infinity',
  '340282366920938463463374607431768211456',
  '9'.repeat(5000),
  '5&amount_in=6',
])('returns 400 for the amount "%s"', async (amount) => {
  const response = await route(`token_in=${A}&token_out=${B}&amount_in=${amount}`)
  expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request'])
})

it.each([
  `token_out=${B}&amount_in=5`,
  `token_in=${A}&amount_in=5`,
  `token_in=${A}&token_out=${B}`,
  `token_in=&token_out=${B}&amount_in=5`,
])('returns 400 if a parameter is missing: %s', async (query) => {
  expect((await route(query)).statusCode).toBe(400)
})
