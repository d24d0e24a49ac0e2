import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { MutantName } from '../../mutants/mutants.ts'
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

it('concurrent refreshes have exactly one winner, whatever else is in progress', async () => {
  const bed = await createTestBed()
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 2, max: 12 }),
      fc.nat({ max: 5 }),
      async (scheduler, count, readers) => {
        const { cookies } = await bed.signIn()
        const refreshes = Array.from({ length: count }, () =>
          scheduler.schedule(Promise.resolve()).then(() => refresh(bed, cookies)),
        )
        const reads = Array.from({ length: readers }, () =>
          scheduler.schedule(Promise.resolve()).then(() => bed.call('/swaps', { cookies })),
        )
        await scheduler.waitAll()
        const responses = await Promise.all(refreshes)
        const winners = responses.filter(({ statusCode }) => statusCode === 200)
        expect(winners).toHaveLength(1)
        expect(responses.filter(({ statusCode }) => statusCode === 409)).toHaveLength(count - 1)
        for (const read of await Promise.all(reads)) expect(read.statusCode).toBe(200)
        for (const winner of winners) {
          expect((await bed.call('/swaps', { cookies: readCookies(winner) })).statusCode).toBe(200)
        }
      },
    ),
    { numRuns: 25 },
  )
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

it('mutant auth-refresh-not-rotated: the refresh token stays', async () => {
  const bed = await createTestBed({ mutant: 'auth-refresh-not-rotated' })
  const { cookies } = await bed.signIn()
  const fresh = readCookies(await refresh(bed, cookies))
  expect(fresh.refresh).toBe(cookies.refresh)
  expect(fresh.access).not.toBe(cookies.access)
  expect((await bed.call('/swaps', { cookies: fresh })).statusCode).toBe(200)
})

it('mutant auth-refresh-two-winners: each of the racing refreshes wins a session of its own', async () => {
  const bed = await createTestBed({ mutant: 'auth-refresh-two-winners' })
  const { cookies } = await bed.signIn()
  const responses = await raceOverHttp(bed, cookies.refresh ?? '')
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(responses.map((response) => response.refresh)).size).toBe(20)
  for (const { refresh: token } of responses) {
    expect((await refresh(bed, { refresh: token ?? '' })).statusCode).toBe(200)
  }
})

it('mutant auth-session-30-min: the access session lasts 30 minutes', async () => {
  const bed = await createTestBed({ mutant: 'auth-session-30-min' })
  const me = await bed.signIn()
  bed.clock.advance(30 * 60_000 - 1)
  expect((await bed.call('/swaps', me)).statusCode).toBe(200)
  bed.clock.advance(1)
  expect((await bed.call('/swaps', me)).statusCode).toBe(401)
})

it.each<[MutantName | null, boolean]>([
  [null, true],
  ['auth-cookies-readable', false],
])('mutant %s: cookies carry HttpOnly: %s', async (mutant, carries) => {
  const bed = await createTestBed({ mutant })
  const verified = await bed.verify(bed.wallets.trader)
  const refreshed = await refresh(bed, readCookies(verified))
  for (const { httpOnly } of [...verified.cookies, ...refreshed.cookies])
    expect(httpOnly ?? false).toBe(carries)
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
