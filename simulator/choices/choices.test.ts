import { expect, it } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { at, createTestBed } from '../exchange/test-bed.ts'
import { tokenBySymbol } from '../exchange/test-world.ts'
import { CHOICE_SETS } from './choices.ts'
import { defaultChoices } from './default-choices.ts'

const SETS = Object.values(CHOICE_SETS)

it('has the defaults of the target profile in its default set', () => {
  const { publicPaths, rateLimit, ...defaults } = choicesSchema.parse({})
  expect(defaultChoices.profile).toEqual({
    ...defaults,
    apiTokens: { ...defaults.apiTokens, maxPerWallet: 100 },
  })
  expect(Object.values(defaultChoices.paths)).toEqual(publicPaths)
})

it.each(SETS)('names its sets as the command line does: $name', ({ name }) => {
  expect(CHOICE_SETS).toHaveProperty(name)
})

it.each(SETS)('the profile has the sort fields: $name', ({ explorePools, profile }) => {
  const sortFields = Object.entries(profile.explorePools.sort).map(([name, { field }]) => [name, field])
  expect(explorePools.sorts).toMatchObject(Object.fromEntries(sortFields))
  expect(explorePools.sorts).toHaveProperty(explorePools.sortDefault)
})
it.each(SETS)('serves every field at the path in the profile: $name', async (choices) => {
  const { verify, wsTicket, sessions, tokens, protocolState, route, apiTokens } = choices.profile
  const { address, tokenId, revision } = choices.wire
  const bed = await createTestBed({ choices })
  const me = await bed.signIn()
  const [usdc, t1] = [tokenBySymbol(bed.views, 'USDC'), tokenBySymbol(bed.views, 'T1')]
  const shownRevision = revision(bed.views.protocolState().revision)
  const verified = (await bed.verify(bed.wallets.trader)).json()
  expect(at(verified, verify.address)).toBe(address.encode(bed.wallets.trader.address))
  expect(at(verified, verify.accessExpiresAt)).toBe(choices.wire.expiry(Date.UTC(2025, 0, 1, 0, 15)))
  expect(at(verified, verify.csrfToken)).toEqual(expect.any(String))
  expect(at((await bed.call('/auth/ws-ticket', me)).json(), wsTicket.ticket)).toEqual(expect.any(String))
  const listed = at((await bed.call('/auth/sessions', me)).json(), sessions.list) as unknown[] // as: fails if not
  expect(listed.map((session) => at(session, sessions.current)).toSorted()).toEqual([false, true])
  expect(listed.map((session) => typeof at(session, sessions.id))).toEqual(['string', 'string'])
  const registry = at((await bed.call('/tokens')).json(), tokens.list) as unknown[] // as: fails if not
  const token = registry.find((row) => at(row, tokens.id) === tokenId.encode(usdc.id))
  expect([at(token, tokens.id), at(token, tokens.address), at(token, tokens.ammTokenProgram)]).toEqual([
    tokenId.encode(usdc.id),
    address.encode(usdc.address),
    usdc.ammTokenProgram,
  ])
  expect(at((await bed.call('/protocol/state', me)).json(), protocolState.revision)).toBe(shownRevision)
  expect(at((await bed.call('/api-tokens', me)).json(), apiTokens.list)).toEqual([])
  const query = new URLSearchParams({
    token_in: tokenId.encode(usdc.id),
    token_out: tokenId.encode(t1.id),
    amount_in: '1000',
  })
  const found = (await bed.call(`/route?${query}`, me)).json()
  expect(at(found, route.protocolRevision)).toBe(shownRevision)
  expect(at(found, route.amountOut)).toMatch(/^[1-9][0-9]*$/)
  const [hop] = at(found, route.hops) as unknown[] // as: fails if not
  expect([at(hop, route.hop.pool), at(hop, route.hop.tokenIn), at(hop, route.hop.tokenOut)]).toEqual([
    expect.any(String),
    tokenId.encode(usdc.id),
    tokenId.encode(t1.id),
  ])
})

const PUBLIC_PATHS = SETS.flatMap((choices) =>
  Object.values(choices.paths).map((path) => ({ path, choices })),
)

it.each(PUBLIC_PATHS)('serves the public path $path', async ({ path, choices }) => {
  const response = await (await createTestBed({ choices })).call(path)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toHaveProperty('data')
})
