// The shortest sequence of each mutant of tokens, lists and claims: what a client sees with the mutant, and without.
import { test } from 'vitest'
import { addressFrom } from '../../chain/identifiers.ts'
import { tokenBySymbol } from '../../exchange/test-world.ts'
import { expectSequence, type Row } from './test-sequence-client.ts'

const ROWS: readonly Row[] = [
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
    mutant: 'sequence-row-doubled-when-limit-changes',
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

test.each(ROWS)('$mutant shows after its sequence', expectSequence)
