import { beforeEach, expect, it } from 'vitest'
import { createTestBed, type SignedIn, type TestBed } from '../test-bed.ts'

let bed: TestBed
let first: SignedIn
let second: SignedIn
let foreign: SignedIn

async function setUp(mutant: 'auth-logout-ends-all' | null) {
  bed = await createTestBed({ mutant })
  first = await bed.signIn()
  second = await bed.signIn()
  foreign = await bed.signIn(bed.wallets.admin)
}

beforeEach(() => setUp(null))

const post = (url: string, me: SignedIn) => bed.call(url, { ...me, method: 'POST' })
const list = async (me: SignedIn): Promise<{ id: string; current: boolean }[]> =>
  (await bed.call('/auth/sessions', me)).json().data
const currentId = async (me: SignedIn) => (await list(me)).find(({ current }) => current)?.id ?? ''

const alive = async () =>
  Promise.all([first, second, foreign].map(async (me) => (await bed.call('/swaps', me)).statusCode === 200))

it('lists the sessions of the wallet, and marks the caller’s', async () => {
  bed.clock.advance(60_000)
  await bed.call('/auth/refresh', { method: 'POST', cookies: first.cookies })
  const row = { id: expect.any(String), created_at: '2025-01-01T00:00:00.000Z' }
  expect(await list(first)).toEqual([
    {
      ...row,
      current: true,
      refreshed_at: '2025-01-01T00:01:00.000Z',
      expires_at: '2025-01-08T00:01:00.000Z',
    },
    {
      ...row,
      current: false,
      refreshed_at: '2025-01-01T00:00:00.000Z',
      expires_at: '2025-01-08T00:00:00.000Z',
    },
  ])
  expect(await currentId(first)).not.toBe(await currentId(second))
})

it('logout ends the current session immediately, its refresh token with it', async () => {
  const response = await post('/auth/logout', first)
  expect(response.json()).toEqual({ data: { ended: 1 } })
  expect(response.cookies.map(({ name, value, maxAge }) => [name, value, maxAge])).toEqual([
    ['access', '', 0],
    ['refresh', '', 0],
  ])
  expect(await alive()).toEqual([false, true, true])
  expect((await post('/auth/refresh', first)).statusCode).toBe(401)
})

it('logout-all ends every session of the wallet', async () => {
  expect((await post('/auth/logout-all', first)).json()).toEqual({ data: { ended: 2 } })
  expect(await alive()).toEqual([false, false, true])
})

it('revokes another session of the wallet', async () => {
  const id = await currentId(second)
  const response = await post(`/auth/sessions/${id}/revoke`, first)
  expect([response.statusCode, response.json(), response.cookies]).toEqual([
    200,
    { data: { id, revoked: true } },
    [],
  ])
  expect(await alive()).toEqual([true, false, true])
  expect((await post(`/auth/sessions/${id}/revoke`, first)).statusCode).toBe(404)
})

it('revokes the caller’s session, whose cookies it clears', async () => {
  const response = await post(`/auth/sessions/${await currentId(first)}/revoke`, first)
  expect(response.cookies).toHaveLength(2)
  expect(await alive()).toEqual([false, true, true])
})

it('does not know the sessions of other wallets', async () => {
  const response = await post(`/auth/sessions/${await currentId(foreign)}/revoke`, first)
  expect([response.statusCode, response.json().code]).toEqual([404, 'session_not_found'])
  expect(await alive()).toEqual([true, true, true])
})

it('returns 404 for an id that is not a UUID', async () => {
  expect((await post('/auth/sessions/7/revoke', first)).statusCode).toBe(404)
})
