// Differences of `replicated` from `default`, except its replicas: optional fields, and JWTs.
import { expect, test } from 'vitest'
import { explorePoolsPageSchema } from '../../contract/schemas/pools.ts'
import { swapsPageSchema } from '../../contract/schemas/portfolio.ts'
import { replicatedChoices } from '../choices/default-choices.ts'
import { createTestBed } from './test-bed.ts'
import { createTestWorld } from './test-world.ts'

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]{43}$/

async function createBed() {
  return createTestBed({ choices: replicatedChoices, world: createTestWorld() })
}

test.each(['/explore/pools?limit=2', '/explore/pools?search=a'])(
  '%s quotes the stable token',
  async (path) => {
    const { valuation } = explorePoolsPageSchema.parse((await (await createBed()).call(path)).json())
    expect(valuation).toMatchObject({
      price: '100000000',
      decimals: 8,
      source: 'simulated',
      corroborated: true,
    })
    expect((valuation?.validUntil ?? 0) - (valuation?.publishTime ?? 0)).toBe(60)
  },
)

test('swaps name their trade', async () => {
  const bed = await createBed()
  const { data } = swapsPageSchema.parse((await bed.call('/swaps', bed.bearer())).json())
  expect(data.length).toBeGreaterThan(0)
  for (const { trade, transaction } of data) expect(trade).toContain(transaction)
})

test('access tokens and tickets are JWTs, and one with another signature is invalid', async () => {
  const bed = await createBed()
  const { cookies } = await bed.signIn()
  const name = replicatedChoices.profile.cookies.access
  const token = cookies[name] ?? ''
  expect(token).toMatch(JWT)
  const { ticket } = (await bed.call('/auth/ws-ticket', { cookies })).json().data
  expect(ticket).toMatch(JWT)
  const forged = (text: string) => text.replace(/.{10}$/, 'AAAAAAAAAA')
  expect((await bed.call('/swaps', { cookies: { ...cookies, [name]: forged(token) } })).statusCode).toBe(401)
  expect(bed.auth.redeemTicket(forged(ticket))).toBeUndefined()
  expect(bed.auth.redeemTicket(ticket)).toBeDefined()
})
