// Observations of a client with each mutant, and without it.
import { expect, test } from 'vitest'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import type { Choices } from '../../choices/choices.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createTestBed, readCookies, type SignedIn } from '../../exchange/test-bed.ts'
import type { MutantName } from '../mutants.ts'
import type { LATER_COOKIE_SYMPTOMS } from './later-sessions.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const MINUTE_MS = 60_000

const ROWS: readonly Row[] = [
  {
    mutant: 'auth-refreshed-session-5-min',
    show: async ({ signIn, refresh, reads, wait }) => {
      const [me, other] = [await signIn(), await signIn()]
      await refresh(me)
      wait(4)
      const early = await reads(me)
      wait(2)
      const late = [await reads(me), await reads(other)]
      return [early, ...late, await refresh(me), await reads(me)]
    },
    right: [200, 200, 200, 200, 200],
    wrong: [200, 401, 200, 200, 200],
  },
  {
    mutant: 'auth-refreshed-session-1-hour',
    show: async ({ signIn, refresh, reads, post, wait }) => {
      const [me, other, ended] = [await signIn(), await signIn(), await signIn()]
      for (const session of [me, ended]) await refresh(session)
      wait(16)
      const early = [await reads(other), await reads(me)]
      await refresh(ended)
      await post('/auth/logout', ended)
      wait(43)
      const late = [await reads(me), await reads(ended)]
      const former = { ...me, cookies: { ...me.cookies } }
      await refresh(me)
      return [...early, ...late, await reads(former), await reads(me)]
    },
    right: [401, 401, 401, 401, 401, 200],
    wrong: [401, 200, 200, 401, 401, 200],
  },
  {
    mutant: 'auth-sign-in-ends-others',
    show: async ({ bed, signIn, reads }) => {
      const [first, other] = [await signIn(), await signIn(bed.wallets.admin)]
      const second = await signIn()
      return [await reads(first), await reads(second), await reads(other)]
    },
    right: [200, 200, 200],
    wrong: [401, 200, 200],
  },
  {
    mutant: 'auth-refresh-newest-session-only',
    show: async ({ bed, signIn, refresh, reads }) => {
      const [first, other, second] = [await signIn(), await signIn(bed.wallets.admin), await signIn()]
      const refreshed = [await refresh(first), await refresh(other), await refresh(second)]
      return [...refreshed, await refresh(second), await reads(first)]
    },
    right: [200, 200, 200, 200, 200],
    wrong: [401, 200, 200, 200, 200],
  },
  {
    mutant: 'auth-refresh-ends-others',
    show: async ({ bed, signIn, refresh, reads }) => {
      const [first, second, other] = [await signIn(), await signIn(), await signIn(bed.wallets.admin)]
      await refresh(second)
      return [await reads(first), await reads(second), await reads(other)]
    },
    right: [200, 200, 200],
    wrong: [401, 200, 200],
  },
  {
    mutant: 'auth-expired-session-gets-tickets',
    show: showExpired('/auth/ws-ticket'),
    right: [401, 401, 401, 401],
    wrong: [200, 401, 401, 401],
  },
  {
    mutant: 'auth-expired-session-unclaimed-served',
    show: showExpired('/unclaimed'),
    right: [401, 401, 401, 401],
    wrong: [200, 401, 401, 401],
  },
  {
    mutant: 'auth-logout-all-of-everyone',
    show: async ({ bed, signIn, reads, post }) => {
      const [first, second, other] = [await signIn(), await signIn(), await signIn(bed.wallets.admin)]
      await post('/auth/logout-all', first)
      return [await reads(first), await reads(second), await reads(other)]
    },
    right: [401, 401, 200],
    wrong: [401, 401, 401],
  },
  {
    mutant: 'auth-logout-all-ends-neighbor',
    show: async ({ bed, signIn, reads, post, wait }) => {
      const [me, older] = [await signIn(), await signIn(bed.wallets.admin)]
      wait(1)
      const newer = await signIn(bed.wallets.admin)
      await post('/auth/logout-all', me)
      return [await reads(me), await reads(older), await reads(newer)]
    },
    right: [401, 200, 200],
    wrong: [401, 200, 401],
  },
  {
    mutant: 'auth-logout-all-keeps-older',
    show: async ({ signIn, refresh, reads, post }) => {
      const all = [await signIn(), await signIn(), await signIn()] as const
      await post('/auth/logout-all', all[1])
      const found = [await reads(all[0]), await reads(all[1]), await reads(all[2])]
      return [...found, await refresh(all[0])]
    },
    right: [401, 401, 401, 401],
    wrong: [200, 401, 401, 200],
  },
  {
    mutant: 'auth-sessions-revoke-own-nothing',
    show: async ({ signIn, refresh, reads, revoke }) => {
      const [me, other] = [await signIn(), await signIn()]
      const found = [await revoke(me, other), await reads(other)]
      const own = await revoke(me, me)
      return [...found, own, await reads(me), await refresh(me)]
    },
    right: [[200, 0], 401, [200, 2], 401, 401],
    wrong: [[200, 0], 401, [200, 0], 200, 200],
  },
  {
    mutant: 'auth-refreshed-admin-403',
    show: async ({ bed, signIn, refresh, get, reads }) => {
      const [me, other] = [await signIn(bed.wallets.admin), await signIn(bed.wallets.admin)]
      const before = await get('/referral/codes', me)
      await refresh(me)
      return [before, await get('/referral/codes', me), await reads(me), await get('/referral/codes', other)]
    },
    right: [200, 200, 200, 200],
    wrong: [200, 403, 200, 200],
  },
]

const cases = [defaultChoices, alternativeChoices].flatMap((choices) =>
  ROWS.map((row) => ({ ...row, choices, set: choices.name })),
)

test.each(cases)(
  '$mutant shows to a client, choices $set',
  async ({ mutant, choices, show, right, wrong }) => {
    expect(await show(await setUp(null, choices))).toEqual(right)
    expect(await show(await setUp(mutant, choices))).toEqual(wrong)
  },
)

/** An expired session on that route and on another, one that has ended, and an unknown token. */
function showExpired(path: string): Row['show'] {
  return async ({ signIn, get, post, reads, names, wait }) => {
    const [me, ended] = [await signIn(), await signIn()]
    await post('/auth/logout', ended)
    wait(16)
    const unknown = { ...me, cookies: { [names.access]: 'unknown' } }
    return [await get(path, me), await reads(me), await get(path, ended), await get(path, unknown)]
  }
}

async function setUp(mutant: MutantName | null, choices: Choices) {
  const bed = await createTestBed({ mutant, choices })
  const names = choices.profile.cookies
  const send = (method: 'GET' | 'POST', url: string, { cookies, headers }: SignedIn) =>
    bed.app.inject({ method, url, cookies, headers })
  const get = async (url: string, me: SignedIn) => (await send('GET', url, me)).statusCode
  const findId = ({ cookies }: SignedIn) => {
    const id = bed.auth.sessions.byAccessToken(cookies[names.access] ?? '')?.id ?? ''
    return encodeURIComponent(choices.wire.sessionId.encode(id))
  }
  return {
    bed,
    names,
    signIn: bed.signIn,
    wait: (minutes: number) => bed.clock.advance(minutes * MINUTE_MS),
    get,
    post: (url: string, me: SignedIn) => send('POST', url, me),
    reads: (me: SignedIn) => get('/swaps', me),
    /** Status, and number of cookies set. */
    revoke: async (me: SignedIn, other: SignedIn) => {
      const { statusCode, cookies } = await send('POST', `/auth/sessions/${findId(other)}/revoke`, me)
      return [statusCode, cookies.length]
    },
    refresh: async (me: SignedIn) => {
      const cookies = { [names.refresh]: me.cookies[names.refresh] ?? '' }
      const response = await bed.app.inject({ method: 'POST', url: '/auth/refresh', cookies })
      if (response.statusCode === 200) Object.assign(me.cookies, readCookies(response))
      return response.statusCode
    },
  }
}

// Cookies that a client gets with each mutant, and without it.
type Name = keyof typeof LATER_COOKIE_SYMPTOMS
type Attributes = { path?: string; maxAge?: number }
type Change = { cookie: 'access' | 'refresh'; by: ('verify' | 'refresh')[]; attribute: Attributes }

const BOTH: Change['by'] = ['verify', 'refresh']
const CHANGES: Record<Name, Change> = {
  'auth-access-cookie-path-auth': { cookie: 'access', by: BOTH, attribute: { path: '/auth' } },
  'auth-access-cookie-5-min': { cookie: 'access', by: BOTH, attribute: { maxAge: 300 } },
  'auth-refresh-cookie-5-min': { cookie: 'refresh', by: BOTH, attribute: { maxAge: 300 } },
}

const cookieCases = [defaultChoices, alternativeChoices].flatMap((choices) =>
  Object.entries(CHANGES).map(([mutant, change]) => ({
    mutant: mutant as Name, // as: the keys are names
    change,
    choices,
    set: choices.name,
  })),
)

test.each(cookieCases)('$mutant changes one attribute, choices $set', async ({ mutant, change, choices }) => {
  const [whole, broken] = [await readAll(null, choices), await readAll(mutant, choices)]
  for (const by of BOTH) {
    const isChanged = change.by.includes(by)
    for (const cookie of ['access', 'refresh'] as const) {
      const { path, maxAge, ...others } = whole[by][cookie]
      const other = isChanged && cookie === change.cookie ? change.attribute : undefined
      const expected = !other
        ? { path, maxAge }
        : 'maxAge' in other
          ? { path, maxAge: other.maxAge }
          : { path: other.path, maxAge }
      expect(broken[by][cookie]).toEqual({ ...others, ...expected })
    }
    expect(broken[by].names).toEqual(whole[by].names)
  }
})

async function readAll(mutant: Name | null, choices: Choices) {
  const bed = await createTestBed({ mutant, choices })
  const { access, refresh } = choices.profile.cookies
  type Response = Awaited<ReturnType<typeof bed.verify>>
  const read = ({ cookies }: Response) => {
    const find = (wanted: string) => {
      const {
        name,
        value: _,
        ...attributes
      } = cookies.find(({ name }) => name === wanted) ?? {
        name: '',
        value: '',
      }
      return attributes as Attributes & Record<string, unknown> // as: attributes of the cookie
    }
    return { access: find(access), refresh: find(refresh), names: cookies.map(({ name }) => name) }
  }
  const verified = await bed.verify(bed.wallets.trader)
  const token = verified.cookies.find(({ name }) => name === refresh)?.value ?? ''
  const refreshed = await bed.app.inject({
    method: 'POST',
    url: '/auth/refresh',
    cookies: { [refresh]: token },
  })
  return { verify: read(verified), refresh: read(refreshed) }
}
