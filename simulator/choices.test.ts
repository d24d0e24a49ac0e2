import { expect, it } from 'vitest'
import { choicesSchema } from '../contract/profile.ts'
import { CHOICES } from './choices.ts'
import { createTestBed } from './exchange/test-bed.ts'
import { tokenBySymbol } from './exchange/test-world.ts'

const PROFILE = choicesSchema.parse({})

function at(body: unknown, path: string | null): unknown {
  // as: any object may be asked for a key
  return path?.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], body)
}

it('agrees with the defaults of the target profile', () => {
  const { cookies, refresh, explorePools, swaps } = CHOICES
  expect({ access: cookies.access, refresh: cookies.refresh }).toEqual(PROFILE.cookies)
  expect(refresh.graceSeconds).toBe(PROFILE.refresh.graceSeconds)
  expect(swaps.poolFilter).toBe(PROFILE.swapsPoolFilter)
  const sortFields = Object.entries(PROFILE.explorePools.sort).map(([name, { field }]) => [name, field])
  expect(explorePools.sorts).toMatchObject(Object.fromEntries(sortFields))
})

it('serves every field at the path that the profile names by default', async () => {
  const bed = await createTestBed()
  const me = await bed.signIn()
  const [usdc, t1] = [tokenBySymbol(bed.views, 'USDC'), tokenBySymbol(bed.views, 'T1')]
  const { revision } = bed.views.protocolState()
  const verified = (await bed.verify(bed.wallets.trader)).json()
  const { verify, wsTicket, sessions, tokens, protocolState, route, apiTokens } = PROFILE
  expect(at(verified, verify.address)).toBe(bed.wallets.trader.address)
  expect(at(verified, verify.accessExpiresAt)).toBe('2025-01-01T00:15:00.000Z')
  expect(at(verified, verify.csrfToken)).toEqual(expect.any(String))
  expect(at((await bed.call('/auth/ws-ticket', me)).json(), wsTicket.ticket)).toEqual(expect.any(String))
  const [session] = at((await bed.call('/auth/sessions', me)).json(), sessions.list) as unknown[] // as: fails if not
  expect([at(session, sessions.id), at(session, sessions.current)]).toEqual([expect.any(String), true])
  const [token] = at((await bed.call('/tokens')).json(), tokens.list) as unknown[] // as: fails if not
  expect([at(token, tokens.id), at(token, tokens.address), at(token, tokens.ammTokenProgram)]).toEqual([
    usdc.id,
    usdc.address,
    usdc.ammTokenProgram,
  ])
  expect(at((await bed.call('/protocol/state')).json(), protocolState.revision)).toBe(revision)
  expect(at((await bed.call('/api-tokens', me)).json(), apiTokens.list)).toEqual([])
  const found = (await bed.call(`/route?token_in=${usdc.id}&token_out=${t1.id}&amount_in=1000`, me)).json()
  expect(at(found, route.protocolRevision)).toBe(revision)
  expect(at(found, route.amountOut)).toMatch(/^[1-9][0-9]*$/)
  const [hop] = at(found, route.hops) as unknown[] // as: fails if not
  expect([at(hop, route.hop.pool), at(hop, route.hop.tokenIn), at(hop, route.hop.tokenOut)]).toEqual([
    expect.any(String),
    usdc.id,
    t1.id,
  ])
})

it.each(PROFILE.publicPaths)('serves the public path %s', async (path) => {
  const response = await (await createTestBed()).call(path)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toHaveProperty('data')
})
