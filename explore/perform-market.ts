/** Commands that read lists, pools, routes and the protocol state. */
import { at } from '../client/exchange.ts'
import { LIMITS } from '../contract/limits.ts'
import { type Performed, performWith, type Requester } from './jar.ts'
import { type Catalog, isStillListed, noteRevision, recall, rowsAt } from './memory.ts'
import { isSuccess } from './model/credentials.ts'
import type { Outcome, Subject, Walk } from './model/state.ts'
import type { AMOUNTS, CommandOf } from './sequence.ts'
import type { ExploreRequest } from './target.ts'

type MarketKind = 'page' | 'walk' | 'read-pool' | 'list-registry' | 'route' | 'read-state'

export const MARKET_COMMANDS: {
  [Kind in MarketKind]: (command: CommandOf<Kind>, requester: Requester) => Performed
} = {
  page: async (command, requester) => {
    const { list, by, limit, offset, window, order, isSorted, search, pool } = command
    const { explorePools, swapsPoolFilter } = requester.target.profile.choices
    const catalog = await recall(requester.target).catalog()
    const query: Record<string, string | undefined> = { limit, offset, window, order }
    const subject: Subject = { total: catalog.total }
    if (isSorted) query.sort = findStableSort(explorePools.sort)
    if (isSorted && query.sort === undefined) return null
    if (search) {
      const { text, ...found } = findSearched(catalog, search) ?? {}
      if (text === undefined) return null
      query.search = text
      Object.assign(subject, found)
    }
    if (pool !== undefined) {
      const through = pick(catalog.pools, pool)
      if (swapsPoolFilter === null || !through) return null
      subject.pool = through
      query[swapsPoolFilter] = through.key
    }
    return withSubject(subject, performWith(by, requester, { method: 'GET', path: address(list, query) }))
  },
  walk: (command, requester) =>
    command.list === '/swaps' ? walkSwaps(command, requester) : walkPools(command, requester),
  'read-pool': async ({ pool: place }, requester) => {
    const pool = pick((await recall(requester.target).catalog()).pools, place)
    if (!pool) return null
    const path = `/pools/${encodeURIComponent(pool.key)}`
    const outcome = await withSubject({ pool }, performWith(undefined, requester, { method: 'GET', path }))
    return outcome?.status === 404 && !(await isStillListed(requester.target, pool)) ? null : outcome
  },
  'list-registry': (_, requester) => performWith(undefined, requester, { method: 'GET', path: '/tokens' }),
  route: async ({ by, from, to, amount }, requester) => {
    const { tokens, distance } = await recall(requester.target).catalog()
    const [tokenIn, tokenOut] = [pick(tokens, from), pick(tokens, to)]
    if (!tokenIn || !tokenOut || tokenIn === tokenOut) return null
    const query = {
      token_in: tokenIn.id,
      token_out: tokenOut.id,
      amount_in: SPELLINGS[amount](tokenIn.unit),
    }
    const subject: Subject = { distance: distance(tokenIn.id, tokenOut.id) }
    const request: ExploreRequest = { method: 'GET', path: address('/route', query) }
    const outcome = await performWith(by, requester, request)
    const isNear = (subject.distance ?? Number.POSITIVE_INFINITY) <= LIMITS.routeHopsMax
    if (outcome?.status !== 404 || by === undefined || !isNear) return outcome && { ...outcome, subject }
    const witnessStatus = await readOther(by, requester, request)
    return { ...outcome, subject, witnessStatus }
  },
  'read-state': readState,
}

/**
 * Requests the same with another credential of the wallet, before and after the given one has got another 404. Returns 200 if the
 * other one got a route both times, else 0.
 */
async function readOther(by: string, requester: Requester, request: ExploreRequest): Promise<number> {
  const { sessions, tokens } = requester.jar
  const all = new Map<string, { wallet: number }>([...sessions, ...tokens])
  const wallet = all.get(by)?.wallet
  for (const [label, each] of all) {
    if (label === by || each.wallet !== wallet) continue
    const isTwice = async (who: string, status: number) => {
      // Two in a row: replicas may take turns.
      for (let times = 0; times < 2; times++)
        if ((await performWith(who, requester, request))?.status !== status) return false
      return true
    }
    if (!(await isTwice(label, 200))) continue
    return (await isTwice(by, 404)) && (await isTwice(label, 200)) ? 200 : 0
  }
  return 0
}

/** More than 64 bits. */
const LARGE = `1${'0'.repeat(24)}`

export const SPELLINGS: Record<(typeof AMOUNTS)[number], (unit: string) => string> = {
  unit: (unit) => unit,
  large: () => LARGE,
  plus: (unit) => `+${unit}`,
  zero: (unit) => `0${unit}`,
  fraction: (unit) => `${unit}.0`,
  exponent: (unit) => `${unit}e0`,
  comma: (unit) => `${unit},0`,
  space: (unit) => ` ${unit}`,
  spaces: (unit) => unit.replace(/\B(?=([0-9]{3})+$)/g, ' '),
}

/** The first sort with a stable order. */
function findStableSort(sorts: Record<string, { stable: boolean }>): string | undefined {
  return Object.entries(sorts).find(([, sort]) => sort.stable)?.[0]
}

function findSearched(
  catalog: Catalog,
  { for: kind, place }: NonNullable<CommandOf<'page'>['search']>,
): ({ text: string } & Subject) | undefined {
  if (kind === 'key') {
    const explored = catalog.pools.filter(({ from }) => from === '/explore/pools')
    const pool = pick(explored, place)
    return pool && { text: pool.key, pool }
  }
  return pick(catalog.subjects[kind], place)
}

function pick<Each>(list: readonly Each[], place: number): Each | undefined {
  return list[place % list.length]
}

function address(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined)
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

async function withSubject(subject: Subject, performed: Performed): Performed {
  const outcome = await performed
  return outcome && { ...outcome, subject }
}

const WIDE = 100
const PAGES_MAX = 60

async function walkPools(
  { list, size, otherSize = size }: CommandOf<'walk'>,
  requester: Requester,
): Performed {
  const sort = findStableSort(requester.target.profile.choices.explorePools.sort)
  const isExplore = list === '/explore/pools'
  if (isExplore && sort === undefined) return null
  const query = isExplore ? { sort, order: 'asc' } : {}
  const before = await readPages(list, { query, limits: [WIDE] }, requester)
  const walked = await readPages(list, { query, limits: [size, otherSize] }, requester)
  const after = await readPages(list, { query, limits: [WIDE] }, requester)
  const failed = [before, walked, after].find(({ outcome }) => !isSuccess(outcome))
  if (failed) return failed.outcome
  const walk = { before: before.rows, rows: walked.rows, after: after.rows, totals: walked.totals }
  return { status: walked.outcome.status, walk: { ...walk, isWhole: walked.isWhole } }
}

type Pages = { outcome: Outcome; rows: unknown[]; totals: number[]; isWhole: boolean }

/** Clients page until a page is empty, by the rows that they got. */
async function readPages(
  list: string,
  { query, limits }: { query: Record<string, string | undefined>; limits: readonly number[] },
  requester: Requester,
): Promise<Pages> {
  const pages: Pages = { outcome: { status: 0 }, rows: [], totals: [], isWhole: false }
  const keys = new Set<unknown>()
  for (let read = 0; read < PAGES_MAX; read++) {
    const limit = String(limits[read % limits.length])
    const path = address(list, { ...query, limit, offset: String(pages.rows.length) })
    pages.outcome = (await performWith(undefined, requester, { method: 'GET', path })) ?? { status: 0 }
    if (!isSuccess(pages.outcome)) return pages
    const { rows, total } = readPage(pages.outcome.body)
    if (total !== undefined) pages.totals.push(total)
    const known = keys.size
    for (const row of rows) keys.add(at(row, 'key'))
    pages.rows.push(...rows)
    // A list that repeats itself has no end.
    pages.isWhole = rows.length === 0 || keys.size === known
    if (pages.isWhole) return pages
  }
  return pages
}

/** Two halves between two whole pages, because new swaps move the others. */
async function walkSwaps({ by, size, pool: place }: CommandOf<'walk'>, requester: Requester): Performed {
  const { swapsPoolFilter: filter } = requester.target.profile.choices
  const pool = place === undefined ? undefined : pick((await recall(requester.target).catalog()).pools, place)
  if (place !== undefined && (!pool || filter === null)) return null
  const query = pool && filter !== null ? { [filter]: pool.key } : {}
  const read = (offset: number, limit: number) =>
    performWith(by, requester, {
      method: 'GET',
      path: address('/swaps', { ...query, limit: String(limit), offset: String(offset) }),
    })
  const half = Math.ceil(size / 2)
  const whole = await read(0, 2 * half)
  if (!whole || !isSuccess(whole)) return whole
  const before = readPage(whole.body)
  const outcomes = await Promise.all([
    read(0, half),
    read(half, half),
    read(Math.max(0, (before.total ?? 1) - 1), half),
  ])
  const again = await read(0, 2 * half)
  const failed = [...outcomes, again].find((outcome) => !outcome || !isSuccess(outcome))
  if (failed !== undefined) return failed
  const [first, second, last] = outcomes.map((outcome) => readPage(outcome?.body))
  const after = readPage(again?.body)
  const walk: Walk = {
    before: before.rows,
    rows: [...(first?.rows ?? []), ...(second?.rows ?? [])],
    after: after.rows,
    totals: [before, first, second, after].flatMap((page) => page?.total ?? []),
    isWhole: before.rows.length > half,
    last: last?.rows.length ?? 0,
  }
  return { ...whole, walk }
}

function readPage(body: unknown): { rows: unknown[]; total: number | undefined } {
  const total = at(body, 'pagination.total')
  return { rows: rowsAt(body, 'data'), total: Number.isSafeInteger(total) ? Number(total) : undefined }
}

/** Compared with the highest revision that was seen. */
const STEPS = { older: -1, current: 0, next: 1 }

async function readState({ by, minimum }: CommandOf<'read-state'>, requester: Requester): Performed {
  const { target } = requester
  const { access, revision: revisionPath } = target.profile.choices.protocolState
  const credential = access === 'public' ? undefined : by
  const read = async (path: string) => {
    const outcome = await performWith(credential, requester, { method: 'GET', path })
    if (outcome && isSuccess(outcome)) noteRevision(target, outcome.body)
    return outcome
  }
  const memory = recall(target)
  if (memory.revision === undefined && minimum !== 'none') await read('/protocol/state')
  if (minimum === 'none') return read('/protocol/state')
  if (memory.revision === undefined || revisionPath === null) return null
  const wanted = memory.revision + STEPS[minimum]
  if (wanted < 0) return null
  const outcome = await read(`/protocol/state?minimum_revision=${wanted}`)
  return outcome && { ...outcome, subject: { minimum: wanted } }
}
