import { expect, it } from 'vitest'
import { createTestBed, readCookies, signMessage, type TestBed } from '../test-bed.ts'

const refresh = (bed: TestBed, cookies: Record<string, string>) =>
  bed.call('/auth/refresh', { method: 'POST', cookies })

it('signs a wallet in: two httpOnly cookies, address, expiry and CSRF token', async () => {
  const bed = await createTestBed()
  const response = await bed.verify(bed.wallets.trader)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    data: {
      address: bed.wallets.trader.address,
      access_expires_at: '2025-01-01T00:15:00.000Z',
      csrf_token: expect.any(String),
    },
  })
  const attributes = { httpOnly: true, path: '/', sameSite: 'Lax', value: expect.any(String) }
  expect(response.cookies).toEqual([
    { name: 'access', maxAge: 900, ...attributes },
    { name: 'refresh', maxAge: 604_800, ...attributes },
  ])
})

it('accepts the signature in upper case hex, too', async () => {
  const bed = await createTestBed()
  const { trader } = bed.wallets
  const signature = signMessage(trader, await bed.challenge(trader.address)).toUpperCase()
  const body = { address: trader.address, signature }
  expect((await bed.call('/auth/verify', { method: 'POST', body })).statusCode).toBe(200)
})

it('rejects a forged signature, sets no cookie, and leaves the challenge open', async () => {
  const bed = await createTestBed()
  const { trader, admin } = bed.wallets
  const message = await bed.challenge(trader.address)
  const verify = (signature: string) =>
    bed.call('/auth/verify', { method: 'POST', body: { address: trader.address, signature } })
  const forged = await verify(signMessage(admin, message))
  expect([forged.statusCode, forged.json().code, forged.cookies]).toEqual([401, 'signature_invalid', []])
  expect((await verify(signMessage(trader, message))).statusCode).toBe(200)
  expect((await verify(signMessage(trader, message))).statusCode).toBe(401)
})

it('rejects a wallet without access with 403 and sets no cookie', async () => {
  const bed = await createTestBed()
  const response = await bed.verify(bed.wallets.stranger)
  expect([response.statusCode, response.json().code, response.cookies]).toEqual([403, 'access_required', []])
})

it.each([
  ['/auth/challenge', {}],
  ['/auth/challenge', { address: '' }],
  ['/auth/challenge', { address: 7 }],
  ['/auth/challenge', { address: 'a'.repeat(129) }],
  ['/auth/verify', { address: 'a' }],
  ['/auth/verify', { address: 'a', signature: 7 }],
])('%s returns 400 for %j', async (url, body) => {
  const bed = await createTestBed()
  expect((await bed.call(url, { method: 'POST', body })).statusCode).toBe(400)
})

it('refresh sets fresh cookies, and the new session continues after the old one has expired', async () => {
  const bed = await createTestBed()
  const { cookies, csrfToken } = await bed.signIn()
  bed.clock.advance(16 * 60_000)
  const response = await refresh(bed, cookies)
  const fresh = readCookies(response)
  expect(response.json().data).toEqual({
    address: bed.wallets.trader.address,
    access_expires_at: '2025-01-01T00:31:00.000Z',
    csrf_token: csrfToken,
  })
  expect(response.cookies.map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
    ['access', true],
    ['refresh', true],
  ])
  expect(fresh.access).not.toBe(cookies.access)
  expect(fresh.refresh).not.toBe(cookies.refresh)
  expect((await bed.call('/access/status', { cookies: fresh })).json()).toEqual({
    data: { has_access: true },
  })
  expect((await bed.call('/access/status', { cookies })).statusCode).toBe(401)
})

it('refresh requires no CSRF token, and ignores one', async () => {
  const bed = await createTestBed()
  const { cookies } = await bed.signIn()
  const headers = { 'x-csrf-token': 'made-up' }
  expect((await bed.call('/auth/refresh', { method: 'POST', cookies, headers })).statusCode).toBe(200)
})

it.each([{}, { refresh: '' }, { refresh: 'made-up' }, { refresh: 'made.up' }])(
  'refresh returns 401 for the cookies %j',
  async (cookies) => {
    const response = await refresh(await createTestBed(), cookies)
    expect([response.statusCode, response.json().code]).toEqual([401, 'refresh_invalid'])
  },
)

it('a loser of the race gets 409, loses no cookie and signs no one out', async () => {
  const bed = await createTestBed()
  const { cookies } = await bed.signIn()
  const winner = await refresh(bed, cookies)
  bed.clock.advance(10_000)
  const loser = await refresh(bed, cookies)
  expect([loser.statusCode, loser.json().code, loser.cookies]).toEqual([409, 'refresh_raced', []])
  expect((await bed.call('/swaps', { cookies: readCookies(winner) })).statusCode).toBe(200)
})

it('a token reused after the grace time ends the session', async () => {
  const bed = await createTestBed()
  const { cookies } = await bed.signIn()
  const winner = await refresh(bed, cookies)
  bed.clock.advance(10_001)
  expect((await refresh(bed, cookies)).statusCode).toBe(401)
  expect((await bed.call('/swaps', { cookies: readCookies(winner) })).statusCode).toBe(401)
  expect((await refresh(bed, readCookies(winner))).statusCode).toBe(401)
})

it('a race over real connections has one winner, too', async () => {
  const bed = await createTestBed()
  const { cookies } = await bed.signIn()
  const responses = await raceOverHttp(bed, cookies.refresh ?? '')
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)])
  const winner = responses.find(({ status }) => status === 200)
  expect((await bed.call('/swaps', { cookies: { access: winner?.access ?? '' } })).statusCode).toBe(200)
})

it('issues tickets for sessions and API tokens, which the feed can redeem', async () => {
  const bed = await createTestBed()
  for (const call of [await bed.signIn(), bed.bearer()]) {
    const { data } = (await bed.call('/auth/ws-ticket', call)).json()
    expect(data.expires_at).toBe('2025-01-01T00:01:00.000Z')
    expect(bed.auth.redeemTicket(data.ticket)?.address).toBe(bed.wallets.trader.address)
  }
})

it('gives the same secrets to the same requests of another run', async () => {
  const runs = await Promise.all([createTestBed(), createTestBed()].map(async (bed) => (await bed).signIn()))
  expect(runs[0]).toEqual(runs[1])
})

async function raceOverHttp(bed: TestBed, token: string) {
  const address = await bed.app.listen({ host: '127.0.0.1', port: 0 })
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const headers = { cookie: `refresh=${token}`, connection: 'close' }
      const response = await fetch(`${address}/auth/refresh`, { method: 'POST', headers })
      await response.arrayBuffer()
      const values = response.headers.getSetCookie().map((line) => line.split(';')[0]?.split('=') ?? [])
      const cookies: Record<string, string | undefined> = Object.fromEntries(values)
      return { status: response.status, access: cookies.access, refresh: cookies.refresh }
    }),
  )
  await bed.app.server.close()
  return responses
}
