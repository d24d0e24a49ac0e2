import { expect, it } from 'vitest'
import { apiTokenCreatedSchema } from '../../../contract/schemas/access.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { createTestBed } from '../test-bed.ts'

async function setUp(mutant: MutantName | null = null) {
  const bed = await createTestBed({ mutant })
  const me = await bed.signIn()
  const create = (body: object) => bed.call('/api-tokens', { ...me, method: 'POST', body })
  const remove = (id: string) => bed.call(`/api-tokens/${id}`, { ...me, method: 'DELETE' })
  const list = async () => (await bed.call('/api-tokens', me)).json().data
  const readsWith = async (secret: string) =>
    (await bed.call('/swaps', { headers: { authorization: `Bearer ${secret}` } })).statusCode
  return { bed, me, create, remove, list, readsWith }
}

it('creates a token that works immediately, and shows its secret this once', async () => {
  const { create, list, readsWith } = await setUp()
  const { data } = apiTokenCreatedSchema
    .strict()
    .parse((await create({ name: 'bot', expires_in_days: 30 })).json())
  const { token, ...metadata } = data
  expect(metadata).toEqual({
    id: expect.any(String),
    name: 'bot',
    token_prefix: token.slice(0, 11),
    created_at: '2025-01-01T00:00:00.000Z',
    expires_at: '2025-01-31T00:00:00.000Z',
  })
  expect(await readsWith(token)).toBe(200)
  expect(await list()).toEqual([metadata])
})

it('creates a token without expiry by default', async () => {
  const { create } = await setUp()
  for (const body of [{ name: 'bot' }, { name: 'bot', expires_in_days: null }]) {
    expect((await create(body)).json().data).not.toHaveProperty('expires_at')
  }
})

it.each([
  {},
  { name: '' },
  { name: 'x'.repeat(65) },
  { name: 7 },
  { name: 'bot', expires_in_days: 0 },
  { name: 'bot', expires_in_days: 366 },
  { name: 'bot', expires_in_days: 1.5 },
  { name: 'bot', expires_in_days: '7' },
])('returns 400 for %j and creates nothing', async (body) => {
  const { create, list } = await setUp()
  expect((await create(body)).statusCode).toBe(400)
  expect(await list()).toEqual([])
})

it('returns 409 beyond the maximum number of tokens of a wallet', async () => {
  const { bed, create } = await setUp()
  for (let count = 0; count < 100; count++) bed.bearer()
  const response = await create({ name: 'one more' })
  expect([response.statusCode, response.json().code]).toEqual([409, 'api_token_limit'])
})

it('revokes a token, which is then unknown', async () => {
  const { create, remove, list, readsWith } = await setUp()
  const { id, token } = (await create({ name: 'bot' })).json().data
  expect((await remove(id)).json()).toEqual({ data: { id, revoked: true } })
  expect(await readsWith(token)).toBe(401)
  expect(await list()).toEqual([])
  expect((await remove(id)).json().code).toBe('api_token_not_found')
})

it('revokes no token of another wallet', async () => {
  const { bed, remove, readsWith } = await setUp()
  const secret = bed.auth.issueApiToken({ address: bed.wallets.admin.address, name: 'admin' })
  expect((await remove(bed.auth.apiTokens.bySecret(secret)?.id ?? '')).statusCode).toBe(404)
  expect(await readsWith(secret)).toBe(200)
})

it('outlives the session that created it', async () => {
  const { bed, me, create, readsWith } = await setUp()
  const { token } = (await create({ name: 'bot' })).json().data
  await bed.call('/auth/logout-all', { ...me, method: 'POST' })
  expect(await readsWith(token)).toBe(200)
})
