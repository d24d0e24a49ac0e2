import { beforeEach, expect, test } from 'vitest'
import { referralCodesBodySchema } from '../../../contract/schemas/access.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { at, createTestBed, readCookies, type SignedIn, type TestBed } from '../test-bed.ts'

let bed: TestBed
let me: SignedIn
let admin: SignedIn

beforeEach(async () => {
  bed = await createTestBed()
  me = await bed.signIn()
  admin = await bed.signIn(bed.wallets.admin)
})

const status = async (caller: object) => (await bed.call('/referral/status', caller)).json().data
const codes = async () =>
  referralCodesBodySchema.strict().parse((await bed.call('/referral/codes', admin)).json()).data
const spare = async () => {
  const found = (await codes()).codes.find(({ issued_to, redeemed_by }) => !issued_to && !redeemed_by)
  return found?.code ?? ''
}
const post = async (caller: SignedIn, path: string, body: object) => {
  const response = await bed.call(path, { ...caller, method: 'POST', body })
  return { status: response.statusCode, body: response.json() }
}
const redeem = (caller: SignedIn, code: unknown) => post(caller, '/referral/redeem', { code })
const attribute = (caller: SignedIn, code: unknown) => post(caller, '/referral/attribution', { code })

const strangerSession = (): SignedIn => {
  bed.auth.acceptTerms(bed.wallets.stranger.address)
  const { accessToken, csrfToken } = bed.auth.sessions.start(bed.wallets.stranger.address)
  return { cookies: { access: accessToken }, csrfToken, headers: { 'x-csrf-token': csrfToken } }
}

test('shows each wallet its own code, by session and by API token', async () => {
  const mine = await status(me)
  expect(mine).toEqual({ has_access: true, code: expect.stringMatching(/^BW-/) })
  expect(await status(bed.bearer())).toEqual(mine)
  expect((await status(admin)).code).not.toBe(mine.code)
  expect(await status(bed.bearer(bed.wallets.stranger))).toEqual({ has_access: false })
})

test('lists every code to the administrator', async () => {
  const { total, available, redeemed, codes: rows } = await codes()
  expect([total, available, redeemed]).toEqual([rows.length, rows.length, 0])
  expect(rows[1]).toEqual({
    code: (await status(me)).code,
    created_at: '2025-01-01T00:00:00.000Z',
    issued_to: bed.wallets.trader.address,
  })
})

test('redeeming gives a wallet access, immediately', async () => {
  const stranger = strangerSession()
  const reads = async () => (await bed.call('/swaps', stranger)).statusCode
  const { code } = await status(me)
  expect(await reads()).toBe(403)
  expect(await redeem(stranger, 'BW-AAAA-AAAA-AAAA')).toMatchObject({
    status: 404,
    body: { code: 'referral_code_unknown' },
  })
  expect(await reads()).toBe(403)
  bed.clock.advance(1000)
  const redeemed = await redeem(stranger, code)
  expect(redeemed).toEqual({ status: 200, body: { data: { has_access: true, code: expect.any(String) } } })
  expect(redeemed.body.data.code).not.toBe(code)
  expect(await reads()).toBe(200)
  expect((await bed.verify(bed.wallets.stranger)).statusCode).toBe(200)
  expect((await codes()).codes[1]).toMatchObject({
    redeemed_at: '2025-01-01T00:00:01.000Z',
    redeemed_by: bed.wallets.stranger.address,
  })
  expect((await codes()).redeemed).toBe(1)
  expect(await redeem(stranger, code)).toEqual(redeemed)
})

test('rejects a code that is taken, the wallet’s own, and a second one', async () => {
  const [code, { code: own }] = [await spare(), await status(me)]
  expect((await redeem(me, own)).body.code).toBe('referral_code_own')
  expect((await redeem(me, code)).status).toBe(200)
  expect(await redeem(admin, code)).toMatchObject({ status: 409, body: { code: 'referral_code_taken' } })
  expect(await redeem(me, await spare())).toMatchObject({ status: 409, body: { code: 'referral_second' } })
  expect((await codes()).redeemed).toBe(1)
})

test('of two wallets that redeem one code at once, one succeeds', async () => {
  const code = await spare()
  const responses = await Promise.all([redeem(me, code), redeem(admin, code)])
  expect(responses.map((response) => response.status).sort()).toEqual([200, 409])
})

test('attributes a wallet to a code, which stays available', async () => {
  const [code, { code: own }] = [await spare(), await status(me)]
  expect((await attribute(me, own)).body.code).toBe('referral_code_own')
  expect((await attribute(me, 'none')).body.code).toBe('referral_code_unknown')
  const attributed = await attribute(me, code)
  expect(attributed).toEqual({
    status: 200,
    body: { data: { code, attributed_at: '2025-01-01T00:00:00.000Z' } },
  })
  bed.clock.advance(1000)
  expect(await attribute(me, code)).toEqual(attributed)
  expect((await attribute(me, (await status(admin)).code)).body.code).toBe('referral_second')
  expect((await codes()).redeemed).toBe(0)
})

test.each([{}, { code: '' }, { code: 7 }, { code: 'x'.repeat(65) }, []])(
  'returns 400 for %j',
  async (body) => {
    for (const path of ['/referral/redeem', '/referral/attribution']) {
      expect((await post(me, path, body)).status).toBe(400)
    }
  },
)

test('choices alternative: a wallet without access signs in, redeems a code, and reads', async () => {
  const { referral, verify } = alternativeChoices.profile
  bed = await createTestBed({ choices: alternativeChoices })
  const verified = await bed.verify(bed.wallets.stranger)
  const stranger = {
    cookies: readCookies(verified),
    headers: { 'x-csrf-token': String(at(verified.json(), verify.csrfToken)) },
  }
  const reads = async () => (await bed.call('/swaps', stranger)).statusCode
  expect([verified.statusCode, await reads()]).toEqual([201, 403])
  const code = bed.auth.referrals.findCode(bed.wallets.trader.address)
  const redeemed = await bed.call(referral.redeemPath, {
    ...stranger,
    method: 'POST',
    body: { [referral.code]: code },
  })
  expect([redeemed.statusCode, redeemed.json().data.has_access, await reads()]).toEqual([200, true, 200])
})
