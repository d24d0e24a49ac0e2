// The choices of `alternative` that affect requests; choices/choices.test.ts checks names and paths.
import { beforeEach, expect, it } from 'vitest'
import { alternativeChoices } from '../choices/alternative-choices.ts'
import { at, createTestBed, readCookies, type SignedIn, type TestBed } from './test-bed.ts'

let bed: TestBed
let me: SignedIn

beforeEach(async () => {
  bed = await createTestBed({ choices: alternativeChoices })
  me = await bed.signIn()
})

const listKeys = (body: { data: { key: string }[] }) => body.data.map(({ key }) => key)

it('signs in with its exact message, its signature encoding, its addresses and its cookies', async () => {
  const response = await bed.verify(bed.wallets.trader)
  expect(response.statusCode).toBe(201)
  expect(Object.keys(readCookies(response)).toSorted()).toEqual([
    'lb-node',
    'locale',
    'x.sid',
    'x.sid_hint',
    'x.sid~renewal',
  ])
  expect(response.cookies).toContainEqual(expect.objectContaining({ name: 'x.sid~renewal', path: '/auth' }))
  expect(Number(at(response.json(), alternativeChoices.profile.verify.accessExpiresAt))).toBe(
    Date.UTC(2025, 0, 1, 0, 15) / 1000,
  )
  const message = await bed.challenge(alternativeChoices.wire.address.encode(bed.wallets.trader.address))
  expect(message).toMatch(/^\ufeff \r\n\n\t/)
  expect(message).toMatch(/ \n \r\n$/)
})

it('knows no wallet by the internal address', async () => {
  const { trader } = bed.wallets
  const response = await bed.call('/auth/verify', {
    method: 'POST',
    body: { address: trader.address, signature: 'A'.repeat(86) },
  })
  expect(response.statusCode).toBe(400)
})

it('lets a wallet without access sign in, and rejects its requests', async () => {
  const stranger = await bed.signIn(bed.wallets.stranger)
  expect((await bed.call('/swaps', stranger)).statusCode).toBe(403)
  expect((await bed.call('/auth/ws-ticket', stranger)).statusCode).toBe(403)
})

it('lets a wallet without access list and end its sessions', async () => {
  const signIn = () => bed.signIn(bed.wallets.stranger)
  const [first, second, third] = [await signIn(), await signIn(), await signIn()]
  const { sessions } = (await bed.call('/auth/sessions', first)).json().data
  const refs = sessions.map(({ session }: { session: { ref: string } }) => encodeURIComponent(session.ref))
  for (const [path, caller, body] of [
    [`/auth/sessions/${refs[0]}/revoke`, first, { id: sessions[0].session.ref, revoked: true }],
    ['/auth/logout', second, { ended: 1 }],
    ['/auth/logout-all', first, { ended: 1 }],
  ] as const) {
    const response = await bed.call(path, { ...caller, method: 'POST' })
    expect([path, response.statusCode, response.json().data]).toEqual([path, 200, body])
  }
  for (const { cookies } of [first, second, third])
    expect((await bed.call('/auth/sessions', { cookies })).statusCode).toBe(401)
})

it('hides codes and refs, except for the code that is stated', async () => {
  const missing = await bed.call('/swaps')
  expect(missing.statusCode).toBe(401)
  expect(missing.json()).toMatchObject({ error: expect.any(String), code: null, ref: null })
  const pending = await bed.call('/protocol/state?minimum_revision=999', me)
  expect(pending.json()).toMatchObject({ code: 'protocol_revision_pending', ref: null })
  expect(pending.headers['retry-after']).toBe('Wed, 01 Jan 2025 00:00:02 GMT')
})

it.each([
  ['/pools/unknown', 410, {}],
  ['/auth/logout', 400, { method: 'POST' }],
] as const)('responds to %s with %d', async (path, status, call) => {
  expect((await bed.call(path, { ...call, cookies: me.cookies })).statusCode).toBe(status)
})

it('takes protocol reads with credentials only', async () => {
  expect((await bed.call('/protocol/state')).statusCode).toBe(401)
  expect((await bed.call('/protocol/state', me)).statusCode).toBe(200)
})

it('clamps a limit if no rejection is stated, and shows the effective one', async () => {
  for (const [path, rows] of [
    ['/pools?limit=5000', 9],
    ['/swaps?limit=101', 100],
  ] as const) {
    const body = (await bed.call(path, me)).json()
    expect(body.data).toHaveLength(rows)
    expect(body.pagination.limit).toBe(rows)
  }
  expect((await bed.call('/explore/pools?limit=101')).statusCode).toBe(400)
})

it('shows the newest pools first, page by page, and the oldest swaps', async () => {
  const keys: string[] = []
  for (;;) {
    const page = listKeys((await bed.call(`/pools?limit=7&offset=${keys.length}`)).json())
    if (page.length === 0) break
    keys.push(...page)
  }
  const { rows } = bed.views.pools({ limit: 1000, offset: 0 })
  expect(keys).toEqual(rows.map(({ key }) => alternativeChoices.wire.poolKey.encode(key)).toReversed())
  const [swap] = (await bed.call('/swaps?limit=1', me)).json().data
  const { total } = bed.views.swaps({ viewer: null, limit: 0, offset: 0 })
  expect(swap.id).toBe(bed.views.swaps({ viewer: null, limit: 1, offset: total - 1 }).rows[0]?.id)
})

it('reads a pool by its listed key, in path, query and search', async () => {
  const [key] = listKeys((await bed.call('/pools?limit=1')).json())
  const shown = encodeURIComponent(String(key))
  expect((await bed.call(`/pools/${shown}`)).json().data.key).toBe(key)
  expect(listKeys((await bed.call(`/explore/pools?search=${shown}`)).json())).toEqual([key])
  const swaps = (await bed.call(`/swaps?via_pool=${shown}&limit=1`, me)).json()
  expect(swaps.data[0].hops.map(({ pool }: { pool: string }) => pool)).toContain(key)
  const inside = alternativeChoices.wire.poolKey.decode(String(key)) ?? ''
  expect((await bed.call(`/pools/${inside}`)).statusCode).toBe(410)
})

it('omits unknown values, and puts such rows first', async () => {
  const text = (await bed.call('/explore/pools?sort=swing:%25&window=1h&limit=100')).json()
  const known = text.data.map((row: object) => 'priceChangePct' in row)
  expect(known).toEqual(known.toSorted())
  expect(new Set(known).size).toBe(2)
  expect(JSON.stringify(text.data)).not.toContain('null')
  expect(text).not.toHaveProperty('valuation')
})

it('adds extra fields to every body', async () => {
  for (const path of [
    '/pools',
    '/explore/pools',
    '/explore/pools?search=a',
    '/tokens',
    '/nowhere',
    '/swaps',
  ]) {
    expect((await bed.call(path, me)).json()).toMatchObject(alternativeChoices.extraFields)
  }
})

it('requires the lifetime of an API token, and creates it with 201', async () => {
  const create = (body: object) => bed.call('/api-tokens', { ...me, method: 'POST', body })
  expect((await create({ name: 'bot' })).statusCode).toBe(400)
  expect((await create({ name: 'bot', expires_in_days: 31 })).statusCode).toBe(400)
  const created = await create({ name: 'bot', expires_in_days: 30 })
  expect(created.statusCode).toBe(201)
  expect(created.json().data.expires_at).toBe('2025-01-31 00:00:00.000000+00')
})

it('revokes a session by its listed id', async () => {
  const listed = (await bed.call('/auth/sessions', me)).json()
  const [session] = at(listed, alternativeChoices.profile.sessions.list) as unknown[] // as: fails if not
  const id = String(at(session, alternativeChoices.profile.sessions.id))
  expect(id).toMatch(/^s\/00[0-9]+$/)
  const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
  expect((await bed.call(path, { ...me, method: 'POST' })).json().data).toEqual({ id, revoked: true })
  expect((await bed.call('/swaps', me)).statusCode).toBe(401)
})
