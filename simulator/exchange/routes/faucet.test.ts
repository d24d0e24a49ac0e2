import { beforeEach, expect, test } from 'vitest'
import { addressFrom } from '../../chain/identifiers.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { createTestBed, type SignedIn, type TestBed } from '../test-bed.ts'
import { createTestWorld, type TestWorld } from '../test-world.ts'

const ADDRESS = addressFrom('somebody')
const MINUTE_MS = 60_000

let world: TestWorld
let bed: TestBed
let me: SignedIn

beforeEach(async () => {
  world = createTestWorld()
  bed = await createTestBed({ world })
  me = await bed.signIn()
})

const claimAs = async (caller: object, address: unknown) => {
  const response = await bed.call('/faucet', { ...caller, method: 'POST', body: { address } })
  return {
    status: response.statusCode,
    body: response.json(),
    retryAfter: response.headers['retry-after'] as string | undefined,
  }
}

const claim = (address: unknown = ADDRESS, caller: object = me) => claimAs(caller, address)

test('sends three tokens, as records on the chain', async () => {
  const { status, body } = await claim()
  expect(status).toBe(200)
  const { grants, ...rest } = body.data
  expect(rest).toEqual({
    status: 'broadcast',
    tx_id: expect.stringMatching(/^at1/),
    address: ADDRESS,
    next_claim_at: '2025-01-01T00:15:00.000Z',
  })
  world.mine()
  const records = world.views.faucetRecords(ADDRESS)
  expect(grants).toHaveLength(3)
  expect(records.map(({ token, amount }) => ({ token: token.id, amount: String(amount) }))).toEqual(grants)
  expect(records.map(({ transaction }) => transaction)).toEqual(Array(3).fill(rest.tx_id))
  expect(world.views.balances(ADDRESS).map(({ balance }) => String(balance))).toEqual(
    grants.map(({ amount }: { amount: string }) => amount),
  )
})

test('once in fifteen minutes, from the block with the claim; Retry-After is the time to wait', async () => {
  const bot = bed.bearer()
  const claim = (address = ADDRESS) => claimAs(bot, address)
  await claim()
  expect(await claim()).toMatchObject({ status: 429, body: { code: 'faucet_claimed' }, retryAfter: '900' })
  world.clock.advance(30_000)
  world.mine()
  const minedAtMs = world.views.head().timeMs
  world.clock.advance(14 * MINUTE_MS + 59_500)
  expect(await claim()).toMatchObject({ status: 429, retryAfter: '1' })
  expect((await claim(addressFrom('another client'))).status).toBe(200)
  world.clock.advance(499)
  expect(await claim()).toMatchObject({ status: 429, retryAfter: '1' })
  world.clock.advance(1)
  expect(world.clock.nowMs()).toBe(minedAtMs + 15 * MINUTE_MS)
  expect((await claim()).status).toBe(200)
  world.mine()
  expect(world.views.faucetRecords(ADDRESS)).toHaveLength(6)
})

test('of fifty concurrent claims for one address exactly one wins', async () => {
  const callers = [me, bed.bearer(), bed.bearer(bed.wallets.admin), await bed.signIn(bed.wallets.admin)]
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) => claim(ADDRESS, callers[index % callers.length])),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(429)])
  expect(responses.filter(({ status, retryAfter }) => status === 429 && retryAfter !== '900')).toEqual([])
  world.mine()
  expect(world.views.faucetRecords(ADDRESS)).toHaveLength(3)
})

test('if blocks come on demand, too', async () => {
  world.setMining({ mode: 'on-demand' })
  expect([(await claim()).status, (await claim()).status]).toEqual([200, 429])
  expect(world.views.faucetRecords(ADDRESS)).toHaveLength(3)
})

test('a claim that the index has not seen yet counts, and one that was reverted does not', async () => {
  const id = world.snapshot()
  world.holdIndexer()
  await claim()
  world.mine()
  expect(world.views.faucetRecords(ADDRESS)).toEqual([])
  expect((await claim()).status).toBe(429)
  world.revert(id)
  expect((await claim()).status).toBe(200)
})

test('counts a claim that bypassed the exchange', async () => {
  world.node.submit({ kind: 'claimFaucet', sender: addressFrom('other'), recipient: ADDRESS })
  world.mine()
  expect((await claim()).status).toBe(429)
})

test.each([null, '', 7, 'bw1', ADDRESS.slice(0, -1), `${ADDRESS}q`, ADDRESS.toUpperCase(), ` ${ADDRESS}`])(
  'returns 400 for the address %j',
  async (address) => {
    expect(await claim(address)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(world.node.pending()).toEqual([])
  },
)

test('a session requires its CSRF token, an API token does not', async () => {
  expect((await claim(ADDRESS, { cookies: me.cookies })).body.code).toBe('csrf_required')
  expect((await claim(ADDRESS, {})).status).toBe(401)
  expect((await claim(ADDRESS, bed.bearer())).status).toBe(200)
})

test('choices alternative: at another path, public, with other spellings', async () => {
  const { path, address: field } = alternativeChoices.profile.faucet
  const { address, tokenId } = alternativeChoices.wire
  bed = await createTestBed({ world: { ...world, include() {} }, choices: alternativeChoices })
  const request = (to: string) => bed.call(path, { method: 'POST', body: { [field]: to } })
  const first = await request(address.encode(ADDRESS))
  expect(first.statusCode).toBe(200)
  const { data } = first.json()
  expect([data.address, tokenId.decode(data.grants[0].token)]).toEqual([
    address.encode(ADDRESS),
    world.node.state().faucet.grants?.[0].tokenId,
  ])
  const again = await request(address.encode(ADDRESS))
  expect([again.statusCode, again.headers['retry-after']]).toEqual([409, 'Wed, 01 Jan 2025 00:15:00 GMT'])
  expect((await request(ADDRESS)).statusCode).toBe(400)
})
