import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { unlistedId } from '../lib/market/routes.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../lib/requests/persistence.ts'
import { isError, isSuccess } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { walkPages } from '../lib/requests/walk.ts'
import type { Judge } from '../lib/verdict/judge.ts'

type Row = Record<string, unknown>

const ROWS_MAX = 50
const POOLS_PAGES_MAX = 4
/** One pool may have been enabled or disabled since its explore row was made. */
const OPPOSITE_MIN = 3

/**
 * Fails the rule if several explore rows contradict `enabled` of their pools in /pools, four times and for the same pools, while
 * others agree: a list that is behind after all pools were paused contradicts all of them. Also fails it if the same two rows have
 * their `feePercent` in the opposite order of the fees of their pools, whose unit is open, four times.
 */
export async function judgeListedFlags(target: Target, judge: Judge, rule: string): Promise<void> {
  let kept: string[] | undefined
  let turned: string[] | undefined
  const compare = async () => {
    const explore = await walkPages(target, { path: '/explore/pools', limit: ROWS_MAX, rowsMax: ROWS_MAX })
    const list = { path: '/pools', limit: ROWS_MAX, pagesMax: POOLS_PAGES_MAX }
    const pools = await walkPages(target, { ...list, rowsMax: POOLS_PAGES_MAX * ROWS_MAX })
    const { opposite, same } = compareFlags(explore.rows, pools.rows)
    kept = opposite.filter((key) => kept?.includes(key) ?? true)
    turned = listTurnedFees(explore.rows, pools.rows).filter((pair) => turned?.includes(pair) ?? true)
    return { kept, same, turned, evidence: [explore.last.evidence(), pools.last.evidence()] }
  }
  const { outcome, last, explanation } = await confirm({
    first: await compare(),
    describeError: ({ kept, same, turned }) => {
      if (kept.length >= OPPOSITE_MIN && same > 0) return 'rows with another `enabled` than their pools'
      return turned.length > 0 ? 'a `feePercent` in the opposite order of the fees' : undefined
    },
    again: compare,
    witness: async () => ({ served: true, explanation: '/pools is served' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  const [count, pair = ''] = [Math.max(last.kept.length, last.turned.length), last.turned[0]]
  if (outcome === 'persistent') judge.fail(rule, `${count} ${explanation} ${pair}`.trim(), last.evidence)
}

const DECIMAL = /^[0-9]+(\.[0-9]+)?$/

/** Pairs of pools of which one has the lower fee in /pools, and the higher `feePercent`. */
export function listTurnedFees(explore: readonly Row[], pools: readonly Row[]): string[] {
  const fees = new Map(pools.map((row) => [pickText(row, 'key') ?? '', pickText(row, 'fee') ?? '']))
  const shared = explore.flatMap((row) => {
    const [key, percent] = [pickText(row, 'key') ?? '', pickText(row, 'feePercent') ?? '']
    const fee = fees.get(key) ?? ''
    return DECIMAL.test(fee) && DECIMAL.test(percent) ? [{ key, fee: +fee, percent: +percent }] : []
  })
  return shared.flatMap((one) =>
    shared
      .filter((other) => one.fee < other.fee && one.percent > other.percent)
      .map((other) => `${one.key} ${other.key}`),
  )
}

/** Compares the pools that both lists have. */
export function compareFlags(
  explore: readonly Row[],
  pools: readonly Row[],
): { opposite: string[]; same: number } {
  const flags = new Map(pools.map((row) => [pickText(row, 'key') ?? '', row.enabled]))
  const shared = explore.flatMap((row) => {
    const key = pickText(row, 'key') ?? ''
    const flag = flags.get(key)
    return typeof flag === 'boolean' && typeof row.enabled === 'boolean'
      ? [{ key, isOpposite: flag !== row.enabled }]
      : []
  })
  const opposite = shared.filter(({ isOpposite }) => isOpposite).map(({ key }) => key)
  return { opposite, same: shared.length - opposite.length }
}

/** A row of /pools, and the pool that its key reads. */
export type Pair = { row: Row; pool: unknown }

const LISTED_MAX = 500

/**
 * Fails the rule if a pool has another fee or `enabled` than its row, in four reads of both that all have the same two values: after a
 * change, the older of the two follows. A fee that keeps changing differs in other values each time.
 */
export async function judgeSameFields(
  target: Target,
  judge: Judge,
  { rule, pairs }: { rule: string; pairs: readonly Pair[] },
): Promise<void> {
  let kept = findOtherFields(pairs)
  const readAgain = async () => {
    const list = { path: '/pools', limit: ROWS_MAX, rowsMax: LISTED_MAX }
    const { rows } = await walkPages(target, list)
    const again: Pair[] = []
    for (const { key } of kept) {
      const reply = await readPool(target, key)
      for (const row of rows.filter((one) => one.key === key).slice(0, 1))
        if (reply.status === 200) again.push({ row, pool: pick(reply.json, 'data') })
    }
    const found = findOtherFields(again).map(({ seen }) => seen)
    kept = kept.filter(({ seen }) => found.includes(seen))
    return kept
  }
  const { outcome, explanation } = await confirm({
    first: kept,
    describeError: (others) => (others.length > 0 ? 'other fields than in /pools' : undefined),
    again: readAgain,
    witness: async () => ({ served: true, explanation: '/pools is served' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  const [first] = kept
  if (outcome === 'persistent' && first) judge.fail(rule, `a pool has ${first.seen}: ${explanation}`)
}

/** Missing fields are covered by another rule. */
export function findOtherFields(pairs: readonly Pair[]): { key: string; seen: string }[] {
  return pairs.flatMap(({ row, pool }) =>
    ['fee', 'enabled'].flatMap((name) => {
      const [listed, served] = [row[name], pick(pool, name)]
      if (typeof listed !== typeof served || listed === undefined || listed === served) return []
      const key = pickText(row, 'key') ?? ''
      return [{ key, seen: `${name} ${served}, and ${listed} in /pools, with the key ${key}` }]
    }),
  )
}

const ROUND_TRIP = 'paging.key.round-trip'

/**
 * Reads a pool by keys that the list does not have: one like the others, half of one, and one with a letter more. Fails if that is an error that persists
 * while a listed key is served. The watch of all records reports another pool. Passes nothing.
 */
export async function judgeUnknownKeys(
  target: Target,
  judge: Judge,
  listed: readonly string[],
): Promise<void> {
  const [key] = listed
  if (key === undefined) return
  for (const unknown of listUnknownKeys(listed)) {
    const reply = await readPool(target, unknown)
    if (!isError(reply) || !isSuccess(await readPool(target, key))) continue
    judge.fail(ROUND_TRIP, `${reply.status} for a key that is not listed`, [reply.evidence()])
    return
  }
}

export function listUnknownKeys(listed: readonly string[]): string[] {
  const [key = ''] = listed
  const half = key.slice(0, Math.ceil(key.length / 2))
  const longer = key === '' ? '' : `${key}x`
  return [unlistedId(listed), half, longer].filter(
    (one): one is string => one !== undefined && one !== '' && !listed.includes(one),
  )
}

/** Pools whose trades are compared, and the fewest of each. */
const TRADED = 4
const TRADES_MIN = 3

/** Fails the rule if pools that were traded in different transactions all have the same trades, four times. Passes nothing. */
export async function judgeOwnTrades(target: Target, judge: Judge): Promise<void> {
  const credential = await readCredential(target)
  const swaps = await requestParsed(target, { path: '/swaps', query: { limit: '100' }, credential })
  const keys = listTradedApart(pickRows(swaps.json, 'data') ?? []).slice(0, TRADED)
  if (keys.length < TRADED) return
  const evidence: string[] = []
  const areSame = async () => {
    const seen = new Set<string>()
    for (const key of keys) {
      const path = `/pools/${encodeURIComponent(key)}/trades`
      const reply = await requestParsed(target, { path, route: '/pools/{key}/trades' })
      const trades = reply.status === 200 ? (pickRows(reply.json, 'data') ?? []) : []
      seen.add(JSON.stringify(trades))
      if (seen.size > 1 || trades.length < TRADES_MIN) return false
      evidence.push(reply.evidence())
    }
    return true
  }
  const { outcome, explanation } = await confirm({
    first: await areSame(),
    describeError: (same) => (same ? 'the same trades' : undefined),
    again: areSame,
    witness: async () => ({ served: true, explanation: '/pools/{key}/trades is served' }),
  })
  if (outcome === 'persistent')
    judge.fail(ROUND_TRIP, `${TRADED} pools: ${explanation}`, evidence.slice(-TRADED))
}

/** Pools of swaps through one pool, each in a transaction of its own. */
export function listTradedApart(swaps: readonly Row[]): string[] {
  const pools = new Map<string, string>()
  for (const swap of swaps) {
    const [hop, ...others] = pickRows(swap, 'hops') ?? []
    const [pool, transaction] = [pickText(hop, 'pool'), pickText(swap, 'transaction')]
    if (pool === undefined || transaction === undefined || others.length > 0 || pools.has(pool)) continue
    if (![...pools.values()].includes(transaction)) pools.set(pool, transaction)
  }
  return [...pools.keys()]
}

function readPool(target: Target, key: string) {
  return requestParsed(target, { path: `/pools/${encodeURIComponent(key)}`, route: '/pools/{key}' })
}
