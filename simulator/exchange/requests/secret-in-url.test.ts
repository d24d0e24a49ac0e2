import { expect, test } from 'vitest'
import { cookiesOf, createTestBed } from '../test-bed.ts'
import { secretInUrl } from './secret-in-url.ts'

async function setUp() {
  const bed = await createTestBed()
  const cookies = cookiesOf(await bed.verify(bed.wallets.trader))
  const { authorization = '' } = bed.bearer().headers
  const inUrl = (text: string, csrfToken?: string) =>
    secretInUrl(`/pools?limit=20&x=${encodeURIComponent(text)}`, { auth: bed.auth, csrfToken })
  return { cookies, token: authorization.replace('Bearer ', ''), inUrl }
}

test('knows API tokens, both cookies, and the CSRF token of the request', async () => {
  const { cookies, token, inUrl } = await setUp()
  const csrfToken = 'c'.repeat(43)
  expect([
    inUrl(token),
    inUrl(`Bearer ${token}`),
    inUrl(cookies.access ?? ''),
    inUrl(cookies.refresh ?? ''),
    inUrl(csrfToken, csrfToken),
  ]).toEqual(['an API token', 'an API token', 'a session cookie', 'a refresh cookie', 'the CSRF token'])
})

test('passes over what only looks like one', async () => {
  const { cookies, inUrl } = await setUp()
  expect(
    ['c'.repeat(43), `${cookies.access}x`, (cookies.access ?? '').slice(1), ''].map((text) => inUrl(text)),
  ).toEqual([null, null, null, null])
})
