import { beforeEach, expect, test } from 'vitest'
import { addressFrom } from '../../chain/identifiers.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import type { TokenView } from '../../indexer/views/market-views.ts'
import { createTestBed, type SignedIn, type TestBed } from '../test-bed.ts'
import { createTestWorld, type TestWorld, tokenBySymbol } from '../test-world.ts'

const RECIPIENT = addressFrom('recipient')

let world: TestWorld
let bed: TestBed
let admin: SignedIn
let token: TokenView

beforeEach(async () => {
  world = createTestWorld()
  bed = await createTestBed({ world })
  admin = await bed.signIn(bed.wallets.admin)
  token = tokenBySymbol(world.views, 'USDC')
})

const mint = async (body: object, caller: object = admin) => {
  const response = await bed.call('/tokens/mint', { ...caller, method: 'POST', body })
  return { status: response.statusCode, body: response.json() }
}
const request = (fields: object = {}) => ({
  amm_token_program: token.ammTokenProgram,
  amount: '340282366920938463463374607431768211455',
  recipient: RECIPIENT,
  ...fields,
})

test('mints on the chain: the recipient has the tokens once the block is indexed', async () => {
  const { status, body } = await mint(request())
  expect({ status, body }).toEqual({
    status: 200,
    body: { data: { status: 'broadcast', tx_id: expect.stringMatching(/^at1/) } },
  })
  expect(world.views.balances(RECIPIENT)).toEqual([])
  world.mine()
  expect(world.views.balances(RECIPIENT)).toMatchObject([
    { token: { id: token.id }, balance: 2n ** 128n - 1n },
  ])
  expect(world.views.token(token.id)?.supply).toBe(token.supply + 2n ** 128n - 1n)
  const read = await bed.call(`/debug/transaction/${body.data.tx_id}`, admin)
  expect(read.json().data).toMatchObject({ status: 'accepted', type: 'mint_token' })
})

test('mints twice for two requests', async () => {
  const [first, second] = [await mint(request({ amount: '5' })), await mint(request({ amount: '5' }))]
  expect(first.body.data.tx_id).not.toBe(second.body.data.tx_id)
  world.mine()
  expect(world.views.balances(RECIPIENT)).toMatchObject([{ balance: 10n }])
})

test('identifies tokens by their own program only', async () => {
  for (const program of ['made_up.program', token.underlyingProgram, token.id, token.symbol]) {
    expect(await mint(request({ amm_token_program: program }))).toMatchObject({
      status: 404,
      body: { code: 'token_not_found' },
    })
  }
  expect(world.node.pending()).toEqual([])
})

const NOT_CANONICAL = [
  '',
  '0',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '01',
  '1,000',
  ' 1',
  '1 ',
  '١',
  '0x1',
  1,
  null,
  2 ** 70,
]

test.each([
  ...NOT_CANONICAL.map((amount) => ({ amount })),
  { amount: '340282366920938463463374607431768211456' },
  { recipient: '' },
  { recipient: 'bw1short' },
  { recipient: `${RECIPIENT} ` },
  { recipient: RECIPIENT.toUpperCase() },
  { recipient: undefined },
  { amm_token_program: '' },
  { amm_token_program: 7 },
])('returns 400 for %j and submits nothing', async (fields) => {
  expect(await mint(request(fields))).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(world.node.pending()).toEqual([])
})

test('accepts an administrator’s session with its CSRF token, and nothing else', async () => {
  const refusals = [
    await mint(request(), {}),
    await mint(request(), { cookies: { access: 'made up' } }),
    await mint(request(), await bed.signIn()),
    await mint(request(), bed.bearer(bed.wallets.admin)),
    await mint(request(), { cookies: admin.cookies }),
  ]
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [401, 'credentials_missing'],
    [401, 'credentials_invalid'],
    [403, 'admin_required'],
    [403, 'admin_required'],
    [403, 'csrf_required'],
  ])
  expect(world.node.pending()).toEqual([])
})

test('choices alternative: to a recipient in another spelling, and not in this one', async () => {
  bed = await createTestBed({ world: { ...world, include() {} }, choices: alternativeChoices })
  admin = await bed.signIn(bed.wallets.admin)
  const body = request({ amount: '5', recipient: alternativeChoices.wire.address.encode(RECIPIENT) })
  expect((await mint(body)).status).toBe(200)
  expect((await mint(request({ amount: '5' }))).status).toBe(400)
  world.mine()
  expect(world.views.balances(RECIPIENT)).toMatchObject([{ balance: 5n }])
})
