// Observations of a client with each mutant, and without it.
import { expect, test } from 'vitest'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import type { Choices } from '../../choices/choices.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { at, createTestBed, type SignedIn } from '../../exchange/test-bed.ts'
import type { MutantName } from '../mutants.ts'
import type { Fields } from '../reactions.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const DAY_MS = 24 * 60 * 60_000

/** By another session, by the one that created it, and again. */
const revokesTwice = async ({ bed, create, revoke, readsWith }: Bed) => {
  const [me, other] = [await bed.signIn(), await bed.signIn()]
  const { id, token } = await create(me)
  const tried = [await revoke(other, id), await readsWith(token)]
  const stranger = await bed.signIn(bed.wallets.admin)
  return [...tried, await revoke(stranger, id), await revoke(me, id), await readsWith(token)]
}

/** Injected requests come on a connection each. */
const createsTwice =
  (apartMs: number) =>
  async ({ bed, create, readsWith }: Bed) => {
    const [me, other] = [await bed.signIn(), await bed.signIn(bed.wallets.admin)]
    const foreign = await create(other)
    const first = await create(me)
    bed.clock.advance(apartMs)
    const later = await create(me)
    return Promise.all([first, foreign, later].map(({ token }) => readsWith(token)))
  }

const ROWS: readonly Row[] = [
  {
    mutant: 'api-token-at-once-lost',
    show: createsTwice(50),
    right: [200, 200, 200],
    wrong: [401, 200, 200],
  },
  {
    mutant: 'api-token-at-once-lost',
    show: createsTwice(51),
    right: [200, 200, 200],
    wrong: [200, 200, 200],
  },
  {
    mutant: 'api-token-revoke-by-maker-404',
    show: revokesTwice,
    right: [200, 401, 404, 404, 401],
    wrong: [404, 200, 404, 200, 401],
  },
  {
    mutant: 'api-token-revoke-by-maker-200',
    show: revokesTwice,
    right: [200, 401, 404, 404, 401],
    wrong: [200, 200, 404, 200, 401],
  },
  {
    mutant: 'api-token-expiry-shown-30-days',
    show: async ({ bed, create, list, readsWith }) => {
      const me = await bed.signIn()
      const { daysShown, token } = await create(me)
      const listed = (await list(me)).map(({ days }) => days)
      bed.clock.advance(1.5 * DAY_MS)
      return [daysShown, listed, await readsWith(token)]
    },
    right: [1, [1], 401],
    wrong: [30, [1], 401],
  },
  {
    mutant: 'api-token-life-30-days',
    show: async ({ bed, create, list, readsWith }) => {
      const me = await bed.signIn()
      const { daysShown, token } = await create(me)
      const listed = (await list(me)).map(({ days }) => days)
      bed.clock.advance(29 * DAY_MS)
      const late = await readsWith(token)
      bed.clock.advance(2 * DAY_MS)
      return [daysShown, listed, late, await readsWith(token)]
    },
    right: [1, [1], 401, 401],
    wrong: [30, [30], 200, 401],
  },
  {
    mutant: 'api-token-list-secret-after-prefix',
    show: async ({ bed, create, list }) => {
      const me = await bed.signIn()
      const { token } = await create(me)
      return (await list(me)).map(({ text, prefix }) => [
        text.includes(token),
        text.includes(token.slice(prefix.length)),
      ])
    },
    right: [[false, false]],
    wrong: [[false, true]],
  },
  {
    mutant: 'api-token-list-secret-without-ss',
    show: async ({ bed, create, list }) => {
      const me = await bed.signIn()
      const { token } = await create(me)
      return (await list(me)).map(({ text }) => [text.includes(token), text.includes(token.slice(3))])
    },
    right: [[false, false]],
    wrong: [[false, true]],
  },
]

const sets = [defaultChoices, alternativeChoices]
const cases = sets.flatMap((choices) => ROWS.map((row) => ({ ...row, choices, set: choices.name })))

test.each(cases)(
  '$mutant shows to a client, choices $set',
  async ({ mutant, choices, show, right, wrong }) => {
    expect(await show(await setUp(null, choices))).toEqual(right)
    expect(await show(await setUp(mutant, choices))).toEqual(wrong)
  },
)

async function setUp(mutant: MutantName | null, choices: Choices) {
  const bed = await createTestBed({ mutant, choices })
  const daysUntil = (expiresAt: unknown) =>
    Math.round((parseTime(String(expiresAt)) - bed.clock.nowMs()) / DAY_MS)
  return {
    bed,
    create: async ({ cookies, headers }: SignedIn) => {
      const payload = { name: 'bot', expires_in_days: 1 }
      const { data } = (
        await bed.app.inject({ method: 'POST', url: '/api-tokens', cookies, headers, payload })
      ).json()
      return { id: String(data.id), token: String(data.token), daysShown: daysUntil(data.expires_at) }
    },
    list: async ({ cookies }: SignedIn) => {
      const response = await bed.app.inject({ url: '/api-tokens', cookies })
      const rows = at(response.json(), choices.profile.apiTokens.list) as Fields[] // as: the stub's list
      return rows.map((row) => ({
        text: JSON.stringify(row),
        prefix: String(row.token_prefix),
        days: daysUntil(row.expires_at),
      }))
    },
    revoke: async ({ cookies, headers }: SignedIn, id: string) =>
      (await bed.app.inject({ method: 'DELETE', url: `/api-tokens/${id}`, cookies, headers })).statusCode,
    readsWith: async (secret: string) =>
      (await bed.app.inject({ url: '/swaps', headers: { authorization: `Bearer ${secret}` } })).statusCode,
  }
}

/** Timestamps of both sets. */
function parseTime(text: string): number {
  return Date.parse(text.replace(' ', 'T').replace(/000\+00$/, 'Z'))
}
