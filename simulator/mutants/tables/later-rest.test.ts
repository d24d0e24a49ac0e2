// For each mutant of lists and reads: what it breaks, and a request next to it that it leaves alone.
import { expect, test } from 'vitest'
import { at, type TestBed } from '../../exchange/test-bed.ts'
import type { MutantName } from '../mutants.ts'
import type { Fields } from '../reactions.ts'
import { type Check, listCases, type Read, routed } from './test-reads.ts'

const EXPLORE = '/explore/pools'

const CHECKS: Partial<Record<MutantName, Check>> = {
  async 'paging-swaps-filter-not-middle-hop'(whole, broken, bed) {
    const { rows } = bed.views.swaps({ viewer: null, limit: 1000, offset: 0 })
    const pools = (rows.find(({ hops }) => hops.length === 3)?.hops ?? []).map(({ pool }) => pool)
    expect(pools).toHaveLength(3)
    for (const pool of pools) {
      const key = bed.choices.wire.poolKey.encode(pool)
      const [page, right] = [await broken(filtered(bed, pool)), await whole(filtered(bed, pool))]
      const isAtEnd = (row: Fields) => [listRoute(row)[0], listRoute(row).at(-1)].includes(key)
      const kept = right.rows.filter(isAtEnd)
      expect(page.rows.slice(0, kept.length)).toEqual(kept)
      expect(page.rows.every(isAtEnd)).toBe(true)
    }
    const [first, middle] = pools
    expect(Number((await broken(filtered(bed, middle))).total)).toBeLessThan(
      Number((await whole(filtered(bed, middle))).total),
    )
    expect((await broken(filtered(bed, first))).rows.length).toBeGreaterThan(0)
    expect(await broken('/swaps')).toEqual(await whole('/swaps'))
  },
  async 'paging-explore-enabled-negated'(whole, broken) {
    const [page, right] = [await broken(EXPLORE), await whole(EXPLORE)]
    expect(page.rows).toEqual(right.rows.map((row) => ({ ...row, enabled: !row.enabled })))
    const path = `/pools/${encodeURIComponent(String(right.rows[0]?.key))}`
    expect(await broken(path)).toEqual(await whole(path))
  },
  'paging-explore-exchanged-symbols': checkExchanged('Symbol'),
  'paging-explore-exchanged-decimals': checkExchanged('Decimals'),
  async 'swaps-owed-positions-of-all'(whole, broken, { views }) {
    const [page, right] = [await broken('/unclaimed'), await whole('/unclaimed')]
    const [shown, own] = [page, right].map(({ body }) => body.data as Record<string, Fields[]>) // as: the stub's body
    const users = views.trades({ limit: 1000, offset: 0 }).rows.flatMap(({ user }) => user ?? [])
    const owed = [...new Set(users)].flatMap(
      (address) => views.unclaimed({ address, viewer: address }).positionsWithOwed,
    )
    expect(owed.length).toBeGreaterThan(0)
    expect(shown?.positions_with_owed).toHaveLength((own?.positions_with_owed?.length ?? 0) + owed.length)
    expect(shown?.pending_swaps).toEqual(own?.pending_swaps)
  },
  'paging-explore-offset-int32': checkOffset(EXPLORE),
  'paging-swaps-offset-int32': checkOffset('/swaps'),
  async 'paging-search-token0-only'(whole, broken, bed) {
    for (const field of ['Symbol', 'Name'] as const) await checkSearch(whole, broken, { field })
    const { key, token1 } = bed.views.pools({ limit: 1, offset: 0 }).rows[0] ?? {}
    const { wire } = bed.choices
    const byKey = searched(wire.poolKey.encode(key ?? ''))
    expect(await broken(byKey)).toEqual(await whole(byKey))
    const byAddress = searched(wire.address.encode(token1?.address ?? ''))
    const [page, right] = [await broken(byAddress), await whole(byAddress)]
    const id = wire.tokenId.encode(token1?.id ?? '')
    expect(Number(right.total)).toBeGreaterThan(Number(page.total))
    expect(page.rows.every(({ token0 }) => token0 === id)).toBe(true)
  },
  async 'paging-search-symbol-of-token0-only'(whole, broken) {
    await checkSearch(whole, broken, { field: 'Symbol', other: 'token1Name' })
    const { rows } = await whole(`${EXPLORE}?limit=5`)
    for (const { token1Name } of rows)
      expect(await broken(searched(String(token1Name)))).toEqual(await whole(searched(String(token1Name))))
  },
  async 'paging-search-symbol-unfiltered'(whole, broken) {
    const { rows, total } = await whole(EXPLORE)
    const [{ token0Symbol, token0Name, key } = {}] = rows
    expect((await broken(searched(String(token0Symbol)))).total).toBe(total)
    expect(Number((await whole(searched(String(token0Symbol)))).total)).toBeLessThan(Number(total))
    for (const text of [token0Name, key])
      expect(await broken(searched(String(text)))).toEqual(await whole(searched(String(text))))
  },
  async 'route-revision-is-block'(whole, broken, bed) {
    const { profile, wire } = bed.choices
    const [{ body: page }, { body: right }] = [await broken(routed(bed)), await whole(routed(bed))]
    const path = profile.route.protocolRevision
    expect(at(page, path)).toEqual(wire.revision(Number(at(page, 'data.observed_block'))))
    expect(at(page, path)).not.toEqual(at(right, path))
    expect(at(page, profile.route.hops)).toEqual(at(right, profile.route.hops))
  },
  'wire-candle-volumes-are-numbers': checkNumbers('ohlcv', ['volume0', 'volume1']),
  'wire-pool-stats-price-is-number': checkNumbers('stats', ['price']),
  'wire-ranges-are-numbers': checkNumbers('liquidity-distribution', ['liquidity']),
  async 'route-amount-empty-zero'(whole, broken, bed) {
    const { hops, amountOut, hop } = bed.choices.profile.route
    const one = await whole(routed(bed, '1000'))
    for (const amount of ['', ' ']) {
      expect((await whole(routed(bed, amount))).status).toBe(400)
      const { status, body } = await broken(routed(bed, amount))
      expect([status, at(body, amountOut), at(body, 'data.amount_in')]).toEqual([200, '0', '0'])
      const [shown, right] = [body, one.body].map((all) => at(all, hops) as Fields[]) // as: the stub's body
      expect(shown?.map((row) => at(row, hop.pool))).toEqual(right?.map((row) => at(row, hop.pool)))
    }
    for (const amount of ['0', '01', '1.5', '1000'])
      expect(await broken(routed(bed, amount))).toEqual(await whole(routed(bed, amount)))
  },
  async 'protocol-pending-far-500'(whole, broken) {
    const path = '/protocol/state?minimum_revision='
    expect((await broken(`${path}${2 ** 31}`)).status).toBe(500)
    expect(await broken(`${path}${2 ** 31 - 1}`)).toEqual(await whole(`${path}${2 ** 31 - 1}`))
    expect((await whole(`${path}${2 ** 31}`)).status).toBe(503)
  },
  async 'protocol-pending-far-served'(whole, broken) {
    const path = '/protocol/state?minimum_revision='
    expect(await broken(`${path}${2 ** 31}`)).toEqual(await whole('/protocol/state'))
    expect((await broken(`${path}${2 ** 31 - 1}`)).status).toBe(503)
  },
}

function checkNumbers(read: string, names: readonly string[]): Check {
  return async (whole, broken, { views, choices }) => {
    const { key = '' } = views.pools({ limit: 1, offset: 0 }).rows[0] ?? {}
    const path = `/pools/${encodeURIComponent(choices.wire.poolKey.encode(key))}/${read}`
    const right = [(await whole(path)).body.data].flat() as Fields[] // as: the stub's body
    expect(right.length).toBeGreaterThan(0)
    const asNumbers = (row: Fields) =>
      Object.assign({ ...row }, ...names.map((name) => ({ [name]: Number(row[name]) })))
    expect([(await broken(path)).body.data].flat()).toEqual(right.map(asNumbers))
  }
}

function checkExchanged(field: 'Symbol' | 'Decimals'): Check {
  return async (whole, broken) => {
    const path = `${EXPLORE}?limit=100`
    const [page, right] = [await broken(path), await whole(path)]
    const names = [`token0${field}`, `token1${field}`] as const
    const expected = right.rows.map((row, number) =>
      number % 3 === 0 && !row.displayFlipped
        ? { ...row, [names[0]]: row[names[1]], [names[1]]: row[names[0]] }
        : row,
    )
    expect(page.rows).toEqual(expected)
    expect(page.rows).not.toEqual(right.rows)
  }
}

function checkOffset(path: string): Check {
  return async (whole, broken) => {
    expect((await broken(`${path}?offset=${2 ** 31}`)).status).toBe(500)
    expect((await whole(`${path}?offset=${2 ** 31}`)).status).not.toBe(500)
    for (const offset of [2 ** 31 - 1, 5])
      expect(await broken(`${path}?offset=${offset}`)).toEqual(await whole(`${path}?offset=${offset}`))
  }
}

type Searched = { field: 'Symbol' | 'Name'; other?: 'token1Name' }

/** Searches for the texts of second tokens find them in first tokens, and in `other`. */
async function checkSearch(whole: Read, broken: Read, { field, other }: Searched) {
  const { rows } = await whole(`${EXPLORE}?limit=20`)
  let lost = 0
  for (const text of new Set(rows.map((row) => String(row[`token1${field}`])))) {
    const [page, right] = [await broken(searched(text, 100)), await whole(searched(text, 100))]
    const contains = (value: unknown) => String(value).toLowerCase().includes(text.toLowerCase())
    const kept = right.rows.filter(
      (row) => contains(row[`token0${field}`]) || (other && contains(row[other])),
    )
    expect(page.rows.filter((row) => right.rows.some(({ id }) => id === row.id))).toEqual(page.rows)
    expect(page.rows).toEqual(expect.arrayContaining(kept))
    lost += Number(right.total) - Number(page.total)
  }
  expect(lost).toBeGreaterThan(0)
}

function searched(text: string, limit = 5): string {
  return `${EXPLORE}?limit=${limit}&search=${encodeURIComponent(text)}`
}

function filtered({ choices }: TestBed, pool = ''): string {
  const key = encodeURIComponent(choices.wire.poolKey.encode(pool))
  return `/swaps?limit=100&${choices.profile.swapsPoolFilter}=${key}`
}

function listRoute(swap: Fields): unknown[] {
  return (swap.hops as Fields[]).map(({ pool }) => pool) // as: the stub's record
}

test.each(await listCases(CHECKS))(
  '$mutant breaks what it says and nothing next to it, choices $set',
  ({ check }) => check(),
)
