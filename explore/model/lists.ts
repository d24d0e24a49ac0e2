/** Pages of lists and single pools (GET /explore/pools; Data and trading endpoints; Public pool and token endpoints; Limits). */
import { at } from '../../client/exchange.ts'
import { compareRows } from '../../contract/compare-rows.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../../contract/profile.ts'
import type { CommandOf } from '../sequence.ts'
import { describeStatus, explainChecked, explainWithout, isUnauthorized } from './credentials.ts'
import type { Done, Explained, Outcome, Profiled, State, Violation } from './state.ts'

export type Row = Record<string, unknown>
type Page = Done<CommandOf<'page'>>

export function explainPage(state: State, done: Page, { choices }: Profiled): Explained {
  const { list, by } = done.command
  if (list === '/swaps' && by === undefined)
    return explainWithout(state, done, 'auth.credentials.missing-401')
  return explainChecked(state, done, { by, check: () => CHECKS[list](done, choices) })
}

const CHECKS: Record<CommandOf<'page'>['list'], (done: Page, choices: Choices) => Violation | undefined> = {
  '/explore/pools': checkExplore,
  '/pools': checkPools,
  '/swaps': checkSwaps,
}

const LIMIT_RULES: readonly (readonly [RegExp, string])[] = [
  [/^0$/, 'paging.limit.rejects-0'],
  [/^-[1-9][0-9]*$/, 'paging.limit.rejects-negative'],
  [/^(many|1\.5)$/, 'paging.limit.rejects-text'],
  [/^(10[1-9]|1[1-9][0-9]|[2-9][0-9]{2}|[1-9][0-9]{3,8})$/, 'paging.limit.rejects-101'],
]
const VALID_LIMIT = /^([1-9][0-9]?|100)$/
const VALID_OFFSET = /^(0|[1-9][0-9]{0,5})$/
const WINDOWS = ['1h', '1d', '1w', '1m']
const FAR_BEYOND = 1000

function checkExplore({ command, outcome }: Page, choices: Choices): Violation | undefined {
  const invalid = findInvalid(command, choices.explorePools.rejects)
  if (invalid === 'open') return undefined
  if (invalid !== undefined)
    return outcome.status === 400
      ? undefined
      : {
          rule: invalid,
          expected: 'a 400, because a parameter is invalid',
          observed: describeStatus(outcome),
        }
  const { search, window, limit } = command
  const searchRule = search && `paging.explore.search${search.for === 'key' ? '' : `-${search.for}`}`
  const limitRule = limit === '1' ? 'paging.limit.accepts-1' : 'paging.limit.accepts-100'
  const isAboutWindow = window !== undefined && limit !== '1' && limit !== '100'
  const rule = searchRule ?? (isAboutWindow ? 'paging.explore.window-accepted' : limitRule)
  if (outcome.status !== 200)
    return isUnauthorized(outcome) ? expect200('access.public.explore', outcome) : expect200(rule, outcome)
  const page = readPage(outcome)
  return (
    checkFields(page) ??
    checkSize(page, { limit, offset: command.offset, rule: searchRule ?? limitRule }) ??
    checkDistinct(page, { field: 'key', rule: 'paging.explore.complete' }) ??
    checkOrder(page.rows, command, choices) ??
    (searchRule === undefined
      ? undefined
      : checkSearch(page, { done: { command, outcome }, rule: searchRule }))
  )
}

/** The rule about an invalid parameter; `open`: the specification does not say whether it is one. */
function findInvalid(
  { limit, offset, window, order }: CommandOf<'page'>,
  rejects: readonly string[],
): string | undefined {
  const invalid: (string | undefined)[] = [
    limit === undefined || VALID_LIMIT.test(limit)
      ? undefined
      : (LIMIT_RULES.find(([form]) => form.test(limit))?.[1] ?? findRejected(limit, rejects)),
    offset === undefined || VALID_OFFSET.test(offset)
      ? undefined
      : /^(start|1\.5)$/.test(offset)
        ? 'paging.offset.rejects-text'
        : findRejected(offset, rejects),
    window === undefined || WINDOWS.includes(window)
      ? undefined
      : window === 'never'
        ? 'paging.explore.rejects-window'
        : 'open',
    order === undefined || order === 'asc' || order === 'desc'
      ? undefined
      : order === 'sideways'
        ? 'paging.explore.rejects-order'
        : 'open',
  ]
  const rules = invalid.filter((rule) => rule !== undefined)
  return rules.find((rule) => rule !== 'open') ?? rules[0]
}

function findRejected(spelling: string, rejects: readonly string[]): string {
  return rejects.includes(spelling) ? 'paging.limit.canonical' : 'open'
}

function checkPools({ command: { offset }, outcome }: Page): Violation | undefined {
  if (outcome.status !== 200) {
    if (isUnauthorized(outcome)) return expect200('access.public.pools', outcome)
    // Which limits and offsets are rejected is not stated.
    const isFar = Number(offset ?? 0) > (outcome.subject?.total ?? 0)
    return outcome.isPersistent
      ? expect200(isFar ? 'paging.pools.ends' : 'paging.pools.complete', outcome)
      : undefined
  }
  const page = readPage(outcome)
  if (Number(offset ?? 0) >= (page.total ?? Number.POSITIVE_INFINITY) + FAR_BEYOND && page.rows.length > 0)
    return {
      rule: 'paging.pools.ends',
      expected: `no row at offset ${offset}, with a total of ${page.total}`,
      observed: `${page.rows.length} rows`,
    }
  return checkFields(page) ?? checkDistinct(page, { field: 'key', rule: 'paging.pools.complete' })
}

function checkSwaps({ command, outcome }: Page): Violation | undefined {
  const { limit, offset, pool } = command
  const isValid = limit === undefined || VALID_LIMIT.test(limit)
  const rule = limit === '1' ? 'paging.swaps.accepts-1' : 'paging.swaps.accepts-100'
  if (outcome.status !== 200) {
    if (pool !== undefined && outcome.isPersistent) return expect200('paging.swaps.filter', outcome)
    return isValid && VALID_OFFSET.test(offset ?? '0') ? expect200(rule, outcome) : undefined
  }
  const page = readPage(outcome)
  const bounds = isValid
    ? checkSize(page, { limit, offset, rule: limit === undefined ? 'paging.swaps.at-most-100' : rule })
    : checkSize(page, {
        limit: '100',
        offset,
        rule: Number(limit) > 0 ? 'paging.swaps.at-most-100' : 'paging.swaps.at-least-1',
      })
  return (
    checkFields(page) ??
    bounds ??
    checkDistinct(page, { field: 'id', rule: 'paging.swaps.complete' }) ??
    checkFilter(page, outcome.subject?.pool?.key)
  )
}

function checkFilter({ rows }: PageRead, key: string | undefined): Violation | undefined {
  const others = rows.filter((row) => row.pool !== key && !listPools(row).includes(key))
  if (key === undefined || others.length === 0) return undefined
  return {
    rule: 'paging.swaps.filter',
    expected: `only swaps through pool ${key}`,
    observed: `${others.length} of ${rows.length} swaps through others`,
  }
}

function listPools({ hops }: Row): unknown[] {
  return Array.isArray(hops) ? hops.map((hop) => at(hop, 'pool')) : []
}

type PageRead = { rows: readonly Row[]; total: number | undefined; pagination: unknown }

function readPage({ body }: Outcome): PageRead {
  const [rows, pagination, total] = [at(body, 'data'), at(body, 'pagination'), at(body, 'pagination.total')]
  return {
    rows: Array.isArray(rows) ? rows.filter((row) => typeof row === 'object' && row !== null) : [],
    total: Number.isSafeInteger(total) ? Number(total) : undefined,
    pagination,
  }
}

function checkFields({ pagination }: PageRead): Violation | undefined {
  const wrong = ['total', 'limit', 'offset'].filter((name) => !Number.isSafeInteger(at(pagination, name)))
  if (wrong.length === 0) return undefined
  return {
    rule: 'paging.pagination.fields',
    expected: 'total, limit and offset as integers',
    observed: `another ${wrong.join(' and ')}: ${JSON.stringify(pagination)?.slice(0, 200)}`,
  }
}

function checkSize(
  { rows, total = 0 }: PageRead,
  { limit, offset, rule }: { limit: string | undefined; offset: string | undefined; rule: string },
): Violation | undefined {
  const most = limit === undefined ? LIMITS.pageSizeMax : Number(limit)
  const isEmpty = rows.length === 0 && Number(offset ?? 0) < total
  if (rows.length <= most && !isEmpty) return undefined
  return {
    rule,
    expected: `1 to ${most} of ${total} rows`,
    observed: `${rows.length} rows`,
  }
}

function checkDistinct(
  { rows }: PageRead,
  { field, rule }: { field: string; rule: string },
): Violation | undefined {
  const ids = rows.map((row) => row[field]).filter((id) => id !== undefined)
  const repeated = ids.find((id, place) => ids.indexOf(id) !== place)
  if (repeated === undefined) return undefined
  return { rule, expected: 'each row once', observed: `${String(repeated)} twice on a page` }
}

export function checkOrder(
  rows: readonly unknown[],
  { isSorted, order }: { isSorted?: boolean | undefined; order?: string | undefined },
  { explorePools }: Choices,
): Violation | undefined {
  const [name, sort] = Object.entries(explorePools.sort).find(([, each]) => each.stable) ?? []
  if (!isSorted || sort === undefined || (order !== 'asc' && order !== 'desc')) return undefined
  const { disorder } = compareRows(rows, { sort, order })
  if (disorder === undefined) return undefined
  return { rule: 'paging.explore.order', expected: `sort ${name}, ${order}`, observed: disorder }
}

function checkSearch(
  { rows, total }: PageRead,
  { done: { command, outcome }, rule }: { done: Pick<Page, 'command' | 'outcome'>; rule: string },
): Violation | undefined {
  const { pool, token, total: all = 0 } = outcome.subject ?? {}
  const isFound = rows.some((row) =>
    token === undefined ? row.key === pool?.key : row.token0 === token || row.token1 === token,
  )
  const isComplete = Number(command.offset ?? 0) === 0 && rows.length >= (total ?? 0)
  if (!isFound && isComplete)
    return {
      rule,
      expected: `a pool ${token === undefined ? `with the key ${pool?.key}` : `of token ${token}`}`,
      observed: `${rows.length} others`,
    }
  // A search for a key that finds everything does not search.
  if (token !== undefined || all < 2 || total === undefined || total < all) return undefined
  return { rule, expected: 'only pools that match', observed: `${total} of ${all} pools` }
}

/**
 * A key reads back as itself, with the tokens and the fee that lists show. The token order of /explore/pools is for display, and a
 * disabled pool may be hidden elsewhere.
 */
export function explainPool(state: State, done: Done<CommandOf<'read-pool'>>): Explained {
  const { outcome } = done
  const { pool } = outcome.subject ?? {}
  const isExplored = pool?.from === '/explore/pools'
  const rule = isExplored ? 'paging.explore.key-reads' : 'paging.key.round-trip'
  return explainChecked(state, done, {
    by: undefined,
    check: () => {
      if (isUnauthorized(outcome)) return expect200('access.public.pools', outcome)
      if (isExplored && !pool.isEnabled) return undefined
      if (outcome.status !== 200) return expect200(rule, outcome)
      const read = Object(at(outcome.body, 'data'))
      const isTurned = isExplored && read.token0 === pool.token1 && read.token1 === pool.token0
      const fields = isTurned ? (['key'] as const) : (['key', 'token0', 'token1', 'fee'] as const)
      const other = fields.find((name) => pool?.[name] !== undefined && read[name] !== pool[name])
      if (other === undefined) return undefined
      return {
        rule,
        expected: `the ${other} ${pool?.[other]}, as ${pool?.from} shows it`,
        observed: String(read[other]),
      }
    },
  })
}

export function explainRegistry(
  state: State,
  done: Done<CommandOf<'list-registry'>>,
  { choices }: Profiled,
): Explained {
  const { outcome } = done
  return explainChecked(state, done, {
    by: undefined,
    check() {
      if (outcome.status !== 200) return expect200('access.public.tokens', outcome)
      if (choices.tokens.list === null || Array.isArray(at(outcome.body, choices.tokens.list)))
        return undefined
      return { rule: 'wire.tokens.list', expected: 'a list of tokens', observed: 'a body without one' }
    },
  })
}

export function expect200(rule: string, outcome: Outcome): Violation {
  return { rule, expected: 'a 200', observed: describeStatus(outcome) }
}
