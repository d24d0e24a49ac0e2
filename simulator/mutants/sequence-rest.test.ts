// Each mutant's shortest sequence over HTTP: the observation with the mutant, and the right one without.
import { expect, test } from 'vitest'
import type { DemoWallet } from '../auth/wallets.ts'
import { addressFrom } from '../chain/identifiers.ts'
import { createTestBed, readCookies, type SignedIn, type TestBed } from '../exchange/test-bed.ts'
import { createTestWorld, tokenBySymbol } from '../exchange/test-world.ts'
import type { MutantName } from './mutants.ts'

type Row = {
  mutant: MutantName
  /** Needs blocks. */
  mines?: true
  show: (client: Client) => Promise<unknown>
  right: unknown
  wrong: unknown
}

const ROWS: readonly Row[] = [
  {
    mutant: 'sequence-fifth-refresh-keeps-token',
    show: async ({ signIn, refresh }) => {
      const me = await signIn()
      for (let count = 0; count < 4; count++) await refresh(me)
      const before = me.cookies.refresh
      await refresh(me)
      return me.cookies.refresh === before
    },
    right: false,
    wrong: true,
  },
  {
    mutant: 'sequence-eighth-refresh-wins',
    show: async ({ signIn, refresh, race }) => {
      const me = await signIn()
      await refresh(me)
      return (await race(me, 8)).filter((status) => status === 200).length
    },
    right: 1,
    wrong: 2,
  },
  {
    mutant: 'sequence-token-before-last-refreshes',
    show: async ({ signIn, refresh }) => {
      const me = await signIn()
      const old = copy(me)
      await refresh(me)
      await refresh(me)
      return refresh(old)
    },
    right: 409,
    wrong: 200,
  },
  {
    mutant: 'sequence-fourth-race-ends-session',
    show: async ({ signIn, race, reads }) => {
      const me = await signIn()
      for (let count = 0; count < 4; count++) await race(me, 2)
      return reads(me)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-csrf-unknown-after-two-refreshes',
    show: async ({ signIn, refresh, post }) => {
      const me = await signIn()
      await refresh(me)
      await refresh(me)
      return post('/auth/logout', me)
    },
    right: 200,
    wrong: 403,
  },
  {
    mutant: 'sequence-replaced-token-survives-logout',
    show: async ({ signIn, refresh, post }) => {
      const me = await signIn()
      const old = copy(me)
      await refresh(me)
      await post('/auth/logout', me)
      return refresh(old)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-fourth-refresh-access-dead',
    show: async ({ signIn, refresh, reads }) => {
      const me = await signIn()
      for (let count = 0; count < 4; count++) await refresh(me)
      return reads(me)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-logout-after-two-refreshes-ignored',
    show: async ({ signIn, refresh, post, reads }) => {
      const me = await signIn()
      await refresh(me)
      await refresh(me)
      await post('/auth/logout', me)
      return reads(me)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-logout-all-misses-fifth-session',
    show: async ({ signInTimes, post, reads }) => {
      const [first, , , , fifth] = await signInTimes(5)
      await post('/auth/logout-all', first)
      return reads(fifth)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-logout-of-five-ends-oldest',
    show: async ({ signInTimes, post, reads }) => {
      const [first, , , , fifth] = await signInTimes(5)
      await post('/auth/logout', fifth)
      return reads(first)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-second-revoke-ends-caller',
    show: async ({ signInTimes, listSessions, post, reads }) => {
      const [first] = await signInTimes(2)
      const [, id] = await listSessions(first)
      await post(`/auth/sessions/${id}/revoke`, first)
      await post(`/auth/sessions/${id}/revoke`, first)
      return reads(first)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-session-unlisted-after-two-refreshes',
    show: async ({ signIn, refresh, listSessions }) => {
      const me = await signIn()
      await refresh(me)
      await refresh(me)
      return (await listSessions(me)).length
    },
    right: 1,
    wrong: 0,
  },
  {
    mutant: 'sequence-revoke-of-refreshed-ignored',
    show: async ({ signInTimes, listSessions, refresh, post, reads }) => {
      const [first, second] = await signInTimes(2)
      const [, id] = await listSessions(first)
      await refresh(second)
      await post(`/auth/sessions/${id}/revoke`, first)
      return reads(second)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-sign-in-dead-after-third-logout-all',
    show: async ({ signIn, post, reads }) => {
      for (let count = 0; count < 3; count++) await post('/auth/logout-all', await signIn())
      return reads(await signIn())
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-own-revoke-keeps-refresh',
    show: async ({ signIn, listSessions, post, refresh }) => {
      const me = await signIn()
      const [id] = await listSessions(me)
      await post(`/auth/sessions/${id}/revoke`, me)
      return refresh(me)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-revoke-of-four-ends-newest',
    show: async ({ signIn, createTokens, revokeToken, readsWith }) => {
      const me = await signIn()
      const [first, , , fourth] = await createTokens(me, 4)
      await revokeToken(me, first)
      return readsWith(fourth)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-token-unlisted-after-two-revokes',
    show: async ({ signIn, createTokens, revokeToken, listTokens }) => {
      const me = await signIn()
      for (const token of await createTokens(me, 2)) await revokeToken(me, token)
      await createTokens(me, 1)
      return (await listTokens(me)).length
    },
    right: 1,
    wrong: 0,
  },
  {
    mutant: 'sequence-token-ends-with-refresh',
    show: async ({ signIn, createTokens, refresh, readsWith }) => {
      const me = await signIn()
      const [token] = await createTokens(me, 1)
      await refresh(me)
      await refresh(me)
      return readsWith(token)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-foreign-revoke-after-own',
    show: async ({ bed, signIn, createTokens, revokeToken, readsWith }) => {
      const [token] = await createTokens(await signIn(), 1)
      const other = await signIn(bed.wallets.admin)
      await revokeToken(other, (await createTokens(other, 1))[0])
      await revokeToken(other, token)
      return readsWith(token)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-second-revoke-restores-token',
    show: async ({ signIn, createTokens, revokeToken, readsWith }) => {
      const me = await signIn()
      const [token] = await createTokens(me, 1)
      await revokeToken(me, token)
      await revokeToken(me, token)
      return readsWith(token)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-third-token-secret-listed',
    show: async ({ signIn, createTokens, listTokens }) => {
      const me = await signIn()
      await createTokens(me, 3)
      return (await listTokens(me)).filter((row) => 'token' in row).length
    },
    right: 0,
    wrong: 1,
  },
  {
    mutant: 'sequence-filtered-total-stale',
    mines: true,
    show: async ({ bed, mine, read }) => {
      const key = bed.views.swaps({ limit: 1, offset: 0, viewer: '' }).rows[0]?.hops[0]?.pool
      const readTotal = async () => (await read(`/swaps?pool=${key}`)).pagination.total
      const before = await readTotal()
      const count = () => bed.views.swaps({ limit: 1, offset: 0, viewer: '', pool: key ?? '' }).total
      for (let blocks = 0; blocks < 60 && count() <= before; blocks++) mine()
      return (await readTotal()) > before
    },
    right: true,
    wrong: false,
  },
  {
    mutant: 'sequence-filter-shares-later-pages',
    show: async ({ bed, read }) => {
      const pools = bed.views.pools({ limit: 40, offset: 0 }).rows.map(({ key }) => key)
      const busy = pools.filter(
        (pool) => bed.views.swaps({ limit: 1, offset: 0, viewer: '', pool }).total > 1,
      )
      const [one, other] = busy
      await read(`/swaps?limit=1&offset=1&pool=${one}`)
      const { data } = await read(`/swaps?limit=1&offset=1&pool=${other}`)
      return data[0].hops.some((hop: { pool: string }) => hop.pool === other)
    },
    right: true,
    wrong: false,
  },
  {
    mutant: 'sequence-pools-total-frozen',
    mines: true,
    show: async ({ bed, mine, read }) => {
      const { total } = (await read('/pools?limit=50')).pagination
      const count = () => bed.views.pools({ limit: 1, offset: 0 }).total
      for (let blocks = 0; blocks < 300 && count() === total; blocks++) mine()
      return (await read('/pools?limit=50')).pagination.total > total
    },
    right: true,
    wrong: false,
  },
  {
    mutant: 'sequence-offset-rounded-to-page',
    show: async ({ read }) => {
      const keys = async (query: string) =>
        (await read(`/pools?${query}`)).data.map(({ key }: { key: string }) => key)
      const first = await keys('limit=10&offset=0')
      return (await keys('limit=7&offset=10')).filter((key: string) => first.includes(key)).length
    },
    right: 0,
    wrong: 3,
  },
  {
    mutant: 'sequence-pending-served-at-fifth-try',
    show: async ({ statuses }) =>
      statuses(['/protocol/state', ...Array(5).fill('/protocol/state?minimum_revision=99')]),
    right: [200, 503, 503, 503, 503, 503],
    wrong: [200, 503, 503, 503, 503, 200],
  },
  {
    mutant: 'sequence-route-404-remembered',
    show: async ({ bed, statuses }) => {
      const [from, to] = ['USDC', 'T1'].map((symbol) => tokenBySymbol(bed.views, symbol).id)
      const route = (token: string | undefined) =>
        `/route?token_in=${from}&token_out=${token}&amount_in=1000000`
      return statuses([route(to), route('none'), route('none'), route(to)])
    },
    right: [200, 404, 404, 200],
    wrong: [200, 404, 404, 404],
  },
  {
    mutant: 'sequence-faucet-forgets-after-three',
    mines: true,
    show: async ({ bed, signIn }) => {
      const me = await signIn()
      const claim = async (name: string) =>
        (await bed.call('/faucet', { ...me, method: 'POST', body: { address: addressFrom(name) } }))
          .statusCode
      const found: number[] = []
      for (const name of ['one', 'two', 'three', 'four', 'one']) found.push(await claim(name))
      return found
    },
    right: [200, 200, 200, 200, 429],
    wrong: [200, 200, 200, 200, 200],
  },
  {
    mutant: 'sequence-codes-open-after-redeem',
    show: async ({ bed, signIn }) => {
      const me = await signIn()
      const code = bed.auth.referrals.list().find(({ issuedTo }) => issuedTo === null)?.code
      await bed.call('/referral/redeem', { ...me, method: 'POST', body: { code } })
      return (await bed.call('/referral/codes', me)).statusCode
    },
    right: 403,
    wrong: 200,
  },
]

test.each(ROWS)('$mutant shows after its sequence', async ({ mutant, mines, show, right, wrong }) => {
  expect(await show(await createClient({ mutant: null, mines }))).toEqual(right)
  expect(await show(await createClient({ mutant, mines }))).toEqual(wrong)
})

type Token = { id: string; token: string }
type Client = Awaited<ReturnType<typeof createClient>>

async function createClient({ mutant, mines }: { mutant: MutantName | null; mines: true | undefined }) {
  const world = mines && createTestWorld()
  const bed: TestBed = await createTestBed({ mutant, ...(world && { world }) })
  const bot = bed.bearer()
  const post = async (path: string, me: SignedIn | undefined) =>
    (await bed.call(path, { ...me, method: 'POST' })).statusCode
  /** Sends the refresh cookie alone; keeps the new cookies. */
  const refresh = async (me: SignedIn) => {
    const response = await bed.call('/auth/refresh', {
      method: 'POST',
      cookies: { refresh: me.cookies.refresh ?? '' },
    })
    if (response.statusCode === 200) Object.assign(me.cookies, readCookies(response))
    return response.statusCode
  }
  const statusOf = async (call: object) => (await bed.app.inject({ url: '/swaps', ...call })).statusCode
  return {
    bed,
    mine: () => world?.mine(),
    signIn: (wallet?: DemoWallet) => bed.signIn(wallet),
    signInTimes: async (count: number) => {
      const all: SignedIn[] = []
      for (let number = 0; number < count; number++) all.push(await bed.signIn())
      return all as [SignedIn, SignedIn, SignedIn, SignedIn, SignedIn] // as: at most five are used
    },
    post,
    refresh,
    /** Refreshes with one cookie at once; keeps the cookies of the winner. */
    race: async (me: SignedIn, count: number) => {
      const tabs = Array.from({ length: count }, () => copy(me))
      const found = await Promise.all(tabs.map(refresh))
      Object.assign(me.cookies, tabs[found.indexOf(200)]?.cookies)
      return found
    },
    reads: (me: SignedIn) => statusOf({ cookies: me.cookies }),
    readsWith: (token: Token | undefined) =>
      statusOf({ headers: { authorization: `Bearer ${token?.token}` } }),
    read: async (url: string) => (await bed.app.inject({ url, ...bot })).json(),
    statuses: async (urls: readonly string[]) => {
      const found: number[] = []
      for (const url of urls) found.push((await bed.app.inject({ url, ...bot })).statusCode)
      return found
    },
    listSessions: async (me: SignedIn): Promise<string[]> =>
      (await bed.call('/auth/sessions', me)).json().data.map(({ id }: { id: string }) => id),
    createTokens: async (me: SignedIn, count: number) => {
      const made: Token[] = []
      for (let number = 0; number < count; number++)
        made.push(
          (await bed.call('/api-tokens', { ...me, method: 'POST', body: { name: 'bot' } })).json().data,
        )
      return made
    },
    revokeToken: (me: SignedIn, token: Token | undefined) =>
      bed.call(`/api-tokens/${token?.id}`, { ...me, method: 'DELETE' }),
    listTokens: async (me: SignedIn): Promise<object[]> => {
      const rows: { name: string }[] = (await bed.call('/api-tokens', me)).json().data
      // The first one is the test bed's.
      return rows.filter((_row, index) => index > 0)
    },
  }
}

/** The same session in another tab. */
function copy(me: SignedIn): SignedIn {
  return { ...me, cookies: { ...me.cookies } }
}
