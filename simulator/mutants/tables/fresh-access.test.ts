// Observations of a client with each mutant, and without it.
import { expect, test } from 'vitest'
import { addressFrom } from '../../chain/identifiers.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createTestBed, readCookies, type SignedIn } from '../../exchange/test-bed.ts'
import { createTestWorld, type TestWorld, tokenBySymbol } from '../../exchange/test-world.ts'
import type { MutantName } from '../mutants.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const ROWS: readonly Row[] = [
  { mutant: 'auth-mint-missing-served', show: ({ mint }) => mint(), right: 401, wrong: 200 },
  { mutant: 'auth-mint-missing-403', show: ({ mint }) => mint(), right: 401, wrong: 403 },
  {
    mutant: 'auth-token-create-missing-served',
    show: async ({ create }) => (await create()).status,
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'auth-token-create-missing-403',
    show: async ({ create }) => (await create()).status,
    right: 401,
    wrong: 403,
  },
  {
    mutant: 'auth-token-revoke-missing-served',
    show: async ({ me, create, revoke, readsWith }) => {
      const { id, token } = await create(me)
      return [await revoke(id), await readsWith(token)]
    },
    right: [401, 200],
    wrong: [200, 401],
  },
  {
    mutant: 'auth-token-revoke-missing-403',
    show: async ({ me, create, revoke }) => revoke((await create(me)).id),
    right: 401,
    wrong: 403,
  },
  {
    mutant: 'auth-session-ended-403',
    show: async ({ bed, me, post, reads }) => {
      const [expiring, altered] = [await bed.signIn(), `${me.cookies.access}0`]
      await post('/auth/logout', me)
      bed.clock.advance(16 * 60_000)
      const misspelled = { ...me, cookies: { access: altered } }
      return [await reads(me), await reads(expiring), await reads(misspelled)]
    },
    right: [401, 401, 401],
    wrong: [403, 403, 401],
  },
  {
    mutant: 'auth-token-any-case',
    show: async ({ bed, me, create, readsWith }) => {
      const { token } = await create(me)
      const issued = bed.auth.issueApiToken({ address: bed.wallets.trader.address, name: 'bot' })
      return [await readsWith(swapCase(token)), await readsWith(swapCase(issued)), await readsWith(token)]
    },
    right: [401, 401, 200],
    wrong: [200, 200, 200],
  },
  {
    mutant: 'auth-session-any-case',
    show: ({ me, reads }) => reads({ ...me, cookies: { access: swapCase(me.cookies.access ?? '') } }),
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'auth-ticket-as-bearer',
    show: async ({ bed, me, readsWith }) => {
      const { ticket } = (await bed.call('/auth/ws-ticket', me)).json().data
      const early = await readsWith(ticket)
      bed.clock.advance(61_000)
      return [early, await readsWith(ticket)]
    },
    right: [401, 401],
    wrong: [200, 401],
  },
  {
    mutant: 'auth-refresh-as-access',
    show: ({ me, reads }) => reads({ ...me, cookies: { access: me.cookies.refresh ?? '' } }),
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'auth-verify-takes-zeros',
    show: async ({ bed }) => {
      const { address } = bed.wallets.trader
      await bed.challenge(address)
      const verify = (signature: string) =>
        bed.call('/auth/verify', { method: 'POST', body: { address, signature } })
      return [(await verify('1'.repeat(128))).statusCode, (await verify('0'.repeat(128))).statusCode]
    },
    right: [401, 401],
    wrong: [401, 200],
  },
  {
    mutant: 'auth-denied-session-works',
    show: async ({ bed, reads }) => {
      const response = await bed.verify(bed.wallets.stranger)
      const { access = '' } = readCookies(response)
      return [response.statusCode, await reads({ cookies: { access } })]
    },
    right: [403, 401],
    wrong: [403, 200],
  },
  {
    mutant: 'auth-logout-all-token-done',
    show: async ({ bed, me, post, reads }) => [await post('/auth/logout-all', bed.bearer()), await reads(me)],
    right: [403, 200],
    wrong: [403, 401],
  },
  {
    mutant: 'auth-logout-all-ends-api-tokens',
    show: async ({ me, post, create, readsWith }) => {
      const { token } = await create(me)
      await post('/auth/logout-all', me)
      return readsWith(token)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'auth-sessions-revoke-ends-api-tokens',
    show: async ({ bed, me, post, create, readsWith }) => {
      const second = await bed.signIn()
      const { token } = await create(second)
      const id = bed.auth.sessions.byAccessToken(second.cookies.access ?? '')?.id
      await post(`/auth/sessions/${id}/revoke`, me)
      return readsWith(token)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'api-token-second-ends-first',
    show: async ({ bed, me, create, readsWith }) => {
      const made = [await create(me), await create(me), await create(await bed.signIn())]
      return Promise.all(made.map(({ token }) => readsWith(token)))
    },
    right: [200, 200, 200],
    wrong: [401, 200, 200],
  },
  {
    mutant: 'api-token-create-403',
    show: async ({ bed, me, create }) => [
      (await create(me)).status,
      bed.auth.apiTokens.list(bed.wallets.trader.address).length,
    ],
    right: [200, 1],
    wrong: [403, 0],
  },
  {
    mutant: 'api-token-create-500',
    show: async ({ me, create }) => (await create(me)).status,
    right: 200,
    wrong: 500,
  },
  {
    mutant: 'referral-status-negated',
    show: async ({ bed, me }) => {
      const status = async (path: string) => (await bed.call(path, me)).json().data.has_access
      return [await status('/access/status'), await status('/referral/status')]
    },
    right: [true, true],
    wrong: [true, false],
  },
]

test.each(ROWS)('$mutant shows to a client', async ({ mutant, show, right, wrong }) => {
  const makeWorld = () => (mutant.startsWith('auth-mint-') ? createTestWorld() : undefined)
  expect(await show(await setUp(null, defaultChoices, makeWorld()))).toEqual(right)
  expect(await show(await setUp(mutant, defaultChoices, makeWorld()))).toEqual(wrong)
})

test('auth-denied-session-works also shows where wallets without access may sign in', async () => {
  const { bed, reads } = await setUp('auth-denied-session-works', alternativeChoices)
  const stranger = await bed.signIn(bed.wallets.stranger)
  expect(await reads(stranger)).toBe(200)
  expect((await bed.call('/access/status', stranger)).json().data.has_access).toBe(false)
})

/** Only a mint needs a world of its own. */
async function setUp(mutant: MutantName | null, choices = defaultChoices, world?: TestWorld) {
  const bed = await createTestBed({ mutant, choices, ...(world && { world }) })
  const me = await bed.signIn()
  const send = async (url: string, call: object) => {
    // Bypasses the request helper of the test bed, which checks responses against their documented statuses.
    const response = await bed.app.inject({ url, ...call })
    const { id = '', token = '' } = (response.json().data ?? {}) as { id?: string; token?: string } // as: of API tokens
    return { status: response.statusCode, id, token }
  }
  return {
    bed,
    me,
    reads: async (call: Partial<SignedIn>) => (await send('/swaps', { ...call })).status,
    readsWith: async (secret: string) =>
      (await send('/swaps', { headers: { authorization: `Bearer ${secret}` } })).status,
    post: async (url: string, call: object) => (await send(url, { ...call, method: 'POST' })).status,
    create: (call: Partial<SignedIn> = {}) =>
      send('/api-tokens', { ...call, method: 'POST', payload: { name: 'bot', expires_in_days: 1 } }),
    revoke: async (id: string) => (await send(`/api-tokens/${id}`, { method: 'DELETE' })).status,
    mint: async () => {
      const { ammTokenProgram: amm_token_program } = tokenBySymbol(bed.views, 'USDC')
      const payload = { amm_token_program, amount: '7', recipient: addressFrom('recipient') }
      return (await send('/tokens/mint', { method: 'POST', payload })).status
    },
  }
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
