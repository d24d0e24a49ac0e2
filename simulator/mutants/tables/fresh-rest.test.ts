import { expect, test } from 'vitest'
import type { Choices } from '../../choices/choices.ts'
import { at, createTestBed, type TestBed } from '../../exchange/test-bed.ts'
import type { MutantName } from '../mutants.ts'
import type { Fields } from '../reactions.ts'
import { type Answer, type Check, listCases, routed, sets } from './test-reads.ts'

const sortedBy = ({ explorePools }: Choices, field: string) => {
  const names = Object.entries(explorePools.sorts).flatMap(([name, shown]) => (shown === field ? [name] : []))
  return encodeURIComponent(names[0] ?? '')
}
const keys = ({ rows }: Answer) => rows.map(({ key, id }) => key ?? id)
const pagination = ({ body }: Answer) => body.pagination

/** For each mutant: what it breaks, and a request next to it that it leaves alone. */
const CHECKS: Partial<Record<MutantName, Check>> = {
  async 'paging-explore-offset-rounded'(whole, broken) {
    expect(keys(await broken('/explore/pools?limit=4&offset=5'))).toEqual(
      keys(await whole('/explore/pools?limit=4&offset=4')),
    )
    expect(await broken('/explore/pools?limit=4&offset=8')).toEqual(
      await whole('/explore/pools?limit=4&offset=8'),
    )
    expect((await broken('/explore/pools?limit=0&offset=3')).status).toBe(400)
  },
  async 'paging-pools-offset-rounded'(whole, broken) {
    expect(keys(await broken('/pools?limit=2&offset=1'))).toEqual(keys(await whole('/pools?limit=2')))
    expect(await broken('/pools?limit=50&offset=0')).toEqual(await whole('/pools?limit=50'))
  },
  async 'paging-pools-limit-ignored'(whole, broken) {
    expect(keys(await broken('/pools?limit=1&offset=2'))).toEqual(keys(await whole('/pools?offset=2')))
  },
  async 'paging-pools-one-more'(whole, broken) {
    expect(keys(await broken('/pools?limit=2'))).toEqual(keys(await whole('/pools?limit=3')))
    expect(await broken('/pools?limit=100')).toEqual(await whole('/pools?limit=100'))
    expect(await broken('/pools')).toEqual(await whole('/pools'))
  },
  async 'paging-explore-later-500'(whole, broken, { choices }) {
    const sorted = `/explore/pools?limit=7&sort=${sortedBy(choices, 'createdAt')}`
    expect((await broken(`${sorted}&offset=7`)).status).toBe(500)
    expect(await broken(sorted)).toEqual(await whole(sorted))
  },
  async 'paging-swaps-deep-404'(whole, broken) {
    const { total } = await whole('/swaps?limit=1')
    expect((await broken(`/swaps?limit=1&offset=${Number(total) - 1}`)).status).toBe(404)
    expect(await broken('/swaps?limit=10&offset=10')).toEqual(await whole('/swaps?limit=10&offset=10'))
  },
  async 'paging-swaps-offset-shown-0'(whole, broken) {
    const [page, right] = [await broken('/swaps?limit=1&offset=1'), await whole('/swaps?limit=1&offset=1')]
    expect(pagination(right)).toMatchObject({ limit: 1, offset: 1 })
    expect(pagination(page)).toEqual({ total: right.total, limit: 1, offset: 0 })
    expect(page.rows).toEqual(right.rows)
  },
  async 'paging-explore-limit-shown-default'(_, broken, { choices }) {
    const page = await broken('/explore/pools?limit=2&offset=1')
    expect(pagination(page)).toMatchObject({ limit: choices.paging.limitDefault, offset: 1 })
    expect(page.rows).toHaveLength(2)
  },
  async 'paging-order-asc-400'(whole, broken) {
    expect((await broken('/explore/pools?order=asc')).status).toBe(400)
    expect(await broken('/explore/pools?order=desc')).toEqual(await whole('/explore/pools?order=desc'))
  },
  async 'paging-order-desc-within-page'(whole, broken, { choices }) {
    const sorted = `/explore/pools?limit=7&offset=7&sort=${sortedBy(choices, 'createdAt')}&order=`
    expect(keys(await broken(`${sorted}desc`))).toEqual(keys(await whole(`${sorted}asc`)).toReversed())
    expect(await broken(`${sorted}asc`)).toEqual(await whole(`${sorted}asc`))
  },
  async 'paging-limit-wrapped'(whole, broken) {
    const one = await whole('/explore/pools?limit=1')
    for (const limit of [2n ** 32n + 1n, 2n ** 64n + 1n])
      expect(await broken(`/explore/pools?limit=${limit}`)).toEqual(one)
    for (const limit of ['101', '1000', '2147483649', '4294967296', String(10n ** 20n)])
      expect((await broken(`/explore/pools?limit=${limit}`)).status).toBe(400)
  },
  async 'paging-window-of-any-length'(whole, broken) {
    expect(await broken('/explore/pools?window=2h')).toEqual(await whole('/explore/pools?window=1h'))
    for (const window of ['never', '1y', '0h', '1H'])
      expect((await broken(`/explore/pools?window=${window}`)).status).toBe(400)
  },
  async 'paging-order-spelled-out'(whole, broken) {
    for (const order of ['asc', 'desc'])
      expect(await broken(`/explore/pools?order=${order}ending`)).toEqual(
        await whole(`/explore/pools?order=${order}`),
      )
    expect((await broken('/explore/pools?order=sideways')).status).toBe(400)
  },
  async 'paging-swaps-filter-total-of-all'(whole, broken, bed) {
    const [path, all] = [
      filtered(bed, bed.views.swaps({ viewer: null, limit: 1, offset: 0 }).rows[0]?.hops[0]?.pool),
      await whole('/swaps'),
    ]
    const [page, right] = [await broken(path), await whole(path)]
    expect(right.total).not.toBe(all.total)
    expect(page.total).toBe(all.total)
    expect(page.rows).toEqual(right.rows)
    expect(await broken('/swaps')).toEqual(all)
  },
  async 'paging-swaps-filter-not-first-hop'(whole, broken, bed) {
    const { rows } = bed.views.swaps({ viewer: null, limit: 1000, offset: 0 })
    const pools = (rows.find(({ hops }) => hops.length === 3)?.hops ?? []).map(({ pool }) => pool)
    expect(pools).toHaveLength(3)
    for (const pool of pools) {
      const key = bed.choices.wire.poolKey.encode(pool)
      const [page, right] = [await broken(filtered(bed, pool)), await whole(filtered(bed, pool))]
      const kept = right.rows.filter((row) => listRoute(row).length === 1 || listRoute(row)[0] !== key)
      expect(page.rows.slice(0, kept.length)).toEqual(kept)
      expect(page.rows.some((row) => listRoute(row).length > 1 && listRoute(row)[0] === key)).toBe(false)
      if (Number(right.total) === right.rows.length) expect(page.total).toBe(kept.length)
    }
    expect(await broken('/swaps')).toEqual(await whole('/swaps'))
  },
  async 'paging-swaps-filter-unknown-dropped'(whole, broken, bed) {
    const none = `/swaps?limit=5&${bed.choices.profile.swapsPoolFilter}=unknown`
    expect((await whole(none)).rows).toEqual([])
    expect(await broken(none)).toEqual(await whole('/swaps?limit=5'))
    const known = filtered(bed, bed.views.pools({ limit: 1, offset: 0 }).rows[0]?.key)
    expect(await broken(known)).toEqual(await whole(known))
  },
  async 'paging-search-none-dropped'(whole, broken) {
    const [none, some] = ['/explore/pools?limit=5&search=', '/explore/pools?limit=5&search=USDC']
    expect((await whole(`${none}00000nothing00000`)).rows).toEqual([])
    expect(await broken(`${none}00000nothing00000`)).toEqual(await whole('/explore/pools?limit=5'))
    expect(await broken(some)).toEqual(await whole(some))
  },
  async 'paging-search-dropped-with-window'(whole, broken) {
    const some = '/explore/pools?limit=5&search=USDC'
    expect(await broken(`${some}&window=1h`)).toEqual(await whole('/explore/pools?limit=5&window=1h'))
    expect(await broken(some)).toEqual(await whole(some))
  },
  async 'paging-order-tvl-as-text'(whole, broken, { choices }) {
    const read = async (order: string, page: string) => {
      const sort = sortedBy(choices, 'tvlUsd')
      const { rows } = await broken(`/explore/pools?${page}&sort=${sort}&order=${order}`)
      return rows.flatMap(({ tvlUsd }) => tvlUsd ?? []).map(String)
    }
    const [up, down] = [await read('asc', 'limit=100'), await read('desc', 'limit=100')]
    expect(up).toEqual(up.toSorted())
    expect(down).toEqual(down.toSorted().toReversed())
    expect(up).not.toEqual(up.toSorted((one, other) => Number(one) - Number(other)))
    expect(await read('desc', 'limit=40&offset=50')).toEqual(down.slice(50, 90))
    const created = `/explore/pools?limit=9&sort=${sortedBy(choices, 'createdAt')}`
    expect(await broken(created)).toEqual(await whole(created))
  },
  async 'paging-key-enabled-negated'(whole, broken, bed) {
    const key = bed.choices.wire.poolKey.encode(bed.views.pools({ limit: 1, offset: 0 }).rows[0]?.key ?? '')
    const path = `/pools/${encodeURIComponent(key)}`
    const { body } = await whole(path)
    const right = body.data as Fields // as: a record
    expect((await broken(path)).body.data).toEqual({ ...right, enabled: !right.enabled })
  },
  async 'wire-change-nan'(_, broken) {
    const { rows } = await broken('/explore/pools?limit=10')
    expect(rows.map(({ priceChangePct }) => priceChangePct === 'NaN')).toEqual(
      rows.map((_, number) => number % 5 === 4),
    )
  },
  async 'route-hop-elsewhere'(whole, broken, bed) {
    const [page, right] = [
      listPools(await broken(routed(bed)), bed),
      listPools(await whole(routed(bed)), bed),
    ]
    expect(page.slice(0, -1)).toEqual(right.slice(0, -1))
    const last = bed.views.pool(bed.choices.wire.poolKey.decode(String(page.at(-1))) ?? '')
    expect([last?.token0.symbol, last?.token1.symbol]).not.toContain('T2')
    expect(last).toBeDefined()
  },
}

function filtered({ choices }: TestBed, pool = ''): string {
  const key = encodeURIComponent(choices.wire.poolKey.encode(pool))
  return `/swaps?limit=100&${choices.profile.swapsPoolFilter}=${key}`
}

function listRoute(swap: Fields): unknown[] {
  return (swap.hops as Fields[]).map(({ pool }) => pool) // as: the stub's record
}

function listPools({ body }: Answer, { choices: { profile } }: TestBed): unknown[] {
  return (at(body, profile.route.hops) as Fields[]).map((hop) => at(hop, profile.route.hop.pool)) // as: the stub's body
}

test.each(await listCases(CHECKS))(
  '$mutant breaks what it says and nothing next to it, choices $set',
  ({ check }) => check(),
)

test.each(sets)('sessions are rejected where API tokens are served, choices $name', async (choices) => {
  for (const [mutant, path, status] of [
    ['auth-session-fee-tiers-403', '/fee-tiers', 403],
    ['auth-session-positions-401', choices.profile.positionsPath, 401],
  ] as const) {
    const bed = await createTestBed({ mutant, choices })
    const { cookies } = await bed.signIn()
    const get = async (url: string, credential: object) =>
      (await bed.app.inject({ url, ...credential })).statusCode
    expect(await get(path, { cookies })).toBe(status)
    expect(await get('/swaps', { cookies })).toBe(200)
    expect(await get(path, bed.bearer())).toBe(200)
  }
})
