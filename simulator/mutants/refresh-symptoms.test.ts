import { expect, test } from 'vitest'
import { createTestBed, type TestBed } from '../exchange/test-bed.ts'
import type { MutantName } from './mutants.ts'

type Cookies = Record<string, string>

/** Signs in, refreshes, waits, and refreshes again with the first cookies; returns the result of each step. */
async function refreshTwice(bed: TestBed, { waitMs }: { waitMs: number }) {
  const { cookies } = await bed.signIn()
  const refresh = async (sent: Cookies) => {
    const response = await bed.call('/auth/refresh', { method: 'POST', cookies: sent })
    return { status: response.statusCode, cookies: toCookies(response.cookies) }
  }
  const first = await refresh(cookies)
  const read = await bed.call('/swaps', { cookies: first.cookies })
  bed.clock.advance(waitMs)
  const again = await refresh(cookies)
  return {
    isRotated: first.cookies.refresh !== undefined && first.cookies.refresh !== cookies.refresh,
    read: read.statusCode,
    again: again.status,
  }
}

function toCookies(list: readonly { name: string; value: string }[]): Cookies {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]))
}

const MINUTE_MS = 60_000
const WHOLE = { isRotated: true, read: 200, again: 401 }

const SHOWN: readonly { mutant: MutantName; differs: Partial<typeof WHOLE> }[] = [
  { mutant: 'auth-refresh-kept-in-time', differs: { isRotated: false, again: 200 } },
  { mutant: 'auth-refresh-cookie-unset', differs: { isRotated: false, again: 200 } },
  { mutant: 'auth-refresh-replaced-starts', differs: { again: 200 } },
  { mutant: 'auth-refresh-replaced-a-minute', differs: { again: 200 } },
  { mutant: 'auth-refresh-access-dead', differs: { read: 401 } },
  { mutant: 'auth-refresh-access-late', differs: { read: 401 } },
]

test('a replaced refresh token no longer refreshes', async () => {
  expect(await refreshTwice(await createTestBed(), { waitMs: MINUTE_MS })).toEqual(WHOLE)
})

test.each(SHOWN)('$mutant shows at the first refresh or at the next', async ({ mutant, differs }) => {
  const bed = await createTestBed({ mutant })
  expect(await refreshTwice(bed, { waitMs: MINUTE_MS })).toEqual({ ...WHOLE, ...differs })
})

test.each(['auth-refresh-expired-401', 'auth-refresh-expired-409', 'auth-refresh-expired-dead'] as const)(
  '%s shows after the access session has expired',
  async (mutant) => {
    const readAfter = async (bed: TestBed) => {
      const { cookies } = await bed.signIn()
      bed.clock.advance(16 * MINUTE_MS)
      const response = await bed.call('/auth/refresh', { method: 'POST', cookies })
      const read = await bed.call('/swaps', { cookies: { ...cookies, ...toCookies(response.cookies) } })
      return read.statusCode
    }
    expect(await readAfter(await createTestBed())).toBe(200)
    expect(await readAfter(await createTestBed({ mutant }))).toBe(401)
  },
)

test.each(['auth-verify-refusal-session', 'auth-verify-refusal-access'] as const)(
  '%s: a rejected signature signs in anyway',
  async (mutant) => {
    const readAfter = async (bed: TestBed) => {
      const body = { address: bed.wallets.trader.address, signature: 'ab'.repeat(64) }
      const response = await bed.call('/auth/verify', { method: 'POST', body })
      const read = await bed.call('/swaps', { cookies: toCookies(response.cookies) })
      return [response.statusCode, read.statusCode]
    }
    const whole = await createTestBed()
    await whole.signIn()
    expect(await readAfter(whole)).toEqual([401, 401])
    const broken = await createTestBed({ mutant })
    await broken.signIn()
    expect(await readAfter(broken)).toEqual([401, 200])
  },
)
