import type { Target } from '../../contract/scenario-config.ts'
import { listsPool, readListedPool } from '../lib/market/read-listed-pool.ts'
import { uniqueKeys } from '../lib/market/rows.ts'
import { pick, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../lib/requests/persistence.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { walkPages } from '../lib/requests/walk.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import {
  judgeListedFlags,
  judgeOwnTrades,
  judgeSameFields,
  judgeUnknownKeys,
  type Pair,
} from './pool-key-checks.ts'

type Row = Record<string, unknown>

/** Rows to read back: half from the first page, half from a later one. */
const READ_BACK = 10
/** Rows whose keys are compared, in one page and in several. */
const COMPARED = 50
const COMPARED_PAGE = 20
/** Explore rows whose `enabled` is compared, and how many a verdict takes. */
const FLAGS_READ = 5
const FLAGS_MIN = 3
/** Rows to search for a pool. */
const ROWS_MAX = 500
const REPEATS = 2
/** Reads of each pool in a row. */
const READS = 3
/** Other probes may have read a pool before, so an attempt without a rejection tries a few others. */
const POOLS_PER_ATTEMPT = 3

export const poolKeys: Probe = {
  rules: ['paging.key.identical', 'paging.key.round-trip'],
  world: 'main',
  async run(target, judge) {
    await judgeIdentical(target, judge)
    const { rows: all } = await walkPages(target, { path: '/pools', limit: 50, rowsMax: ROWS_MAX })
    const disabled = all.find((row) => row.enabled === false && hasKey(row))
    const keys = all.flatMap((row) => pickText(row, 'key') ?? [])
    await judgeUnknownKeys(target, judge, keys)
    await unlessCannot(() => judgeOwnTrades(target, judge))
    await judgeRepeatedReads(target, judge, keys.toReversed())
    await judgeReadBack(target, judge, {
      rule: 'paging.key.round-trip',
      path: '/pools',
      rows: await readPages(target, '/pools'),
      also: disabled === undefined ? [] : [disabled],
      isSame: (pool, row) => ['key', 'token0', 'token1'].every((name) => pick(pool, name) === row[name]),
    })
  },
}

/** Rows of /explore/pools have a pool key, too. Their token order is for display, and a disabled pool may be hidden elsewhere. */
export const exploreKeys: Probe = {
  rules: ['paging.explore.key-reads'],
  world: 'main',
  async run(target, judge) {
    const rows = await readPages(target, '/explore/pools')
    await judgeFlags(target, judge, rows.slice(0, FLAGS_READ))
    await unlessCannot(() => judgeListedFlags(target, judge, 'paging.explore.key-reads'))
    await judgeReadBack(target, judge, {
      rule: 'paging.explore.key-reads',
      path: '/explore/pools',
      rows: rows.filter((row) => row.enabled === true),
      isSame: (pool, row) => pick(pool, 'key') === row.key && joinTokens(pool) === joinTokens(row),
    })
  },
}

/**
 * Explore rows may be older than the pools, so only rows that are all the opposite of their pools, four times, prove
 * anything. A disabled pool may be hidden elsewhere.
 */
async function judgeFlags(target: Target, judge: Judge, rows: readonly Row[]): Promise<void> {
  const compare = async () => {
    const opposite: boolean[] = []
    for (const row of rows) {
      const enabled = await readEnabled(target, row)
      if (typeof enabled === 'boolean' && typeof row.enabled === 'boolean')
        opposite.push(enabled !== row.enabled)
    }
    return opposite
  }
  const { outcome, explanation } = await confirm({
    first: await compare(),
    describeError: (opposite) =>
      opposite.length >= FLAGS_MIN && opposite.every(Boolean) ? 'all rows have another `enabled`' : undefined,
    again: compare,
    witness: async () => ({ served: true, explanation: '/pools/{key} is served' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome === 'persistent') judge.fail('paging.explore.key-reads', explanation)
}

async function readEnabled(target: Target, row: Row): Promise<unknown> {
  const path = `/pools/${encodeURIComponent(pickText(row, 'key') ?? '')}`
  const { status, json } = await requestParsed(target, { path, route: '/pools/{key}' })
  return status === 200 ? pick(json, 'data.enabled') : undefined
}

/** Compares the same rows in one page and in several. A key that differs only briefly means that the list changed. */
async function judgeIdentical(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.key.identical'
  const { outcome, last, explanation } = await confirm({
    first: await compareKeys(target),
    describeError: ({ changed }) => (changed.length > 0 ? 'other keys' : undefined),
    again: () => compareKeys(target),
    witness: async () => ({ served: true, explanation: '/pools is served' }),
  })
  const seen = `${last.shared} pools, ${last.changed.length} with another key`
  if (outcome === 'persistent') judge.fail(rule, `${seen}: ${last.changed[0]}: ${explanation}`, last.evidence)
  else if (last.shared === 0) judge.inconclusive(rule, 'no pool that tokens and fee identify in both reads')
  else judge.pass(rule, seen, last.evidence)
}

type Compared = { shared: number; changed: string[]; evidence: string[] }

async function compareKeys(target: Target): Promise<Compared> {
  const walks = [await readRows(target, COMPARED), await readRows(target, COMPARED_PAGE)]
  // In quick succession: a list may alternate between two forms.
  for (let read = 0; read < REPEATS; read++) walks.push(await readRows(target, COMPARED_PAGE, COMPARED_PAGE))
  const [first = new Map<string, string>(), ...others] = walks.map(({ rows }) => uniqueKeys(rows))
  const changed = others.flatMap((keys) =>
    [...first].flatMap(([pool, key]) => {
      const other = keys.get(pool)
      return other === undefined || other === key ? [] : [`${pool} has ${key}, then ${other}`]
    }),
  )
  const shared = [...first.keys()].filter((pool) => others[0]?.has(pool))
  return { shared: shared.length, changed, evidence: walks.map(({ last }) => last.evidence()) }
}

function readRows(target: Target, limit: number, rowsMax = COMPARED) {
  return walkPages(target, { path: '/pools', limit, rowsMax })
}

/** Rows with a key, of the first page and of a later one. Rows that change when the first page is read again come first. */
async function readPages(target: Target, path: '/pools' | '/explore/pools'): Promise<Row[]> {
  const { rows, last } = await walkPages(target, { path, limit: READ_BACK, rowsMax: 2 * READ_BACK + 1 })
  const seen = new Set(rows.map(identifyPool))
  const others: Row[] = []
  for (let read = 0; read < REPEATS; read++) {
    const again = await walkPages(target, { path, limit: READ_BACK, rowsMax: READ_BACK })
    others.push(...again.rows.filter((row) => !seen.has(identifyPool(row)) && seen.add(identifyPool(row))))
  }
  const keyed = [...others, ...rows].filter(hasKey)
  if (keyed.length === 0) throw new CannotJudge(`no pool with a key in the list: ${last.evidence()}`)
  return keyed
}

type ReadBack = {
  rule: string
  path: '/pools' | '/explore/pools'
  rows: readonly Row[]
  /** More rows to read. */
  also?: readonly Row[]
  isSame: (pool: unknown, row: Row) => boolean
}

/** Reads pools by the keys of their rows, and the first again at the end. Stops at the first wrong one. */
async function judgeReadBack(
  target: Target,
  judge: Judge,
  { rule, path, rows, also = [], isSame }: ReadBack,
): Promise<void> {
  const half = READ_BACK / 2
  const read = rows.length > READ_BACK ? [...rows.slice(0, half), ...rows.slice(-half)] : rows
  const pairs: Pair[] = []
  for (const row of [...read, ...also, ...read.slice(0, 1)]) {
    const key = pickText(row, 'key') ?? ''
    const reply = await readListedPool(target, { key, isListed: () => listsPool(target, path, key) })
    if (reply === undefined) continue
    if (reply.status !== 200 || !isSame(pick(reply.json, 'data'), row)) {
      judge.fail(rule, `a key of ${path} does not lead back to its pool`, [reply.evidence()])
      return
    }
    pairs.push({ row, pool: pick(reply.json, 'data') })
  }
  if (path === '/pools') await judgeSameFields(target, judge, { rule, pairs })
  if (pairs.length === 0) judge.inconclusive(rule, `no enabled pool of ${path} stayed in the list`)
  else judge.pass(rule, `${pairs.length} keys lead back to their pools`)
}

function identifyPool({ key, token0, token1 }: Row): string {
  return JSON.stringify([key, token0, token1])
}

/** Another rule covers rows without a key. */
function hasKey(row: Row): boolean {
  return typeof row.key === 'string' && row.key !== ''
}

function joinTokens(pool: unknown): string {
  return [pickText(pool, 'token0'), pickText(pool, 'token1')].sort().join(' ')
}

/**
 * Reads pools several times each. A pool that is served one time and rejected another may be new to a replica
 * that lags behind, so the rule fails only if this repeats with other pools.
 *
 * @param keys of a list; each is used once
 */
async function judgeRepeatedReads(target: Target, judge: Judge, keys: readonly string[]): Promise<void> {
  const fresh = keys.values()
  const attempt = async (): Promise<Flicker | undefined> => {
    for (let pools = 0; pools < POOLS_PER_ATTEMPT; pools++) {
      const { value: key } = fresh.next()
      const flicker = key === undefined ? undefined : await readRepeatedly(target, key)
      if (flicker !== undefined) return flicker
    }
    return undefined
  }
  const evidence: string[] = []
  const { outcome, explanation } = await confirm({
    first: await attempt(),
    describeError(flicker) {
      if (flicker === undefined) return undefined
      if (!evidence.includes(flicker.evidence)) evidence.push(flicker.evidence)
      return `a pool returns ${flicker.status} in one of ${READS} reads`
    },
    again: attempt,
    witness: async () => ({ served: true, explanation: 'another pool' }),
  })
  if (outcome === 'persistent') judge.fail('paging.key.round-trip', explanation, evidence)
}

type Flicker = { status: number; evidence: string }

/** Returns the first rejection of a pool that another read serves. */
async function readRepeatedly(target: Target, key: string): Promise<Flicker | undefined> {
  const replies = []
  for (let read = 0; read < READS; read++) {
    const path = `/pools/${encodeURIComponent(key)}`
    replies.push(await requestParsed(target, { path, route: '/pools/{key}' }))
  }
  const at = replies.findIndex(
    (reply) => isClientError(reply) && reply.status !== 403 && reply.status !== 429,
  )
  const rejected = replies[at]
  if (rejected === undefined || !replies.some(isSuccess)) return undefined
  return { status: rejected.status, evidence: rejected.evidence() }
}
