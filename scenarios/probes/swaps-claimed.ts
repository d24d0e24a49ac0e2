import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { goOn, readOwedTo, readUnclaimed, type Unclaimed } from '../lib/market/read-unclaimed.ts'
import { readSwapEnds, type Swap } from '../lib/market/swap-watch.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { walkPages } from '../lib/requests/walk.ts'
import { pause } from '../lib/time/pause.ts'

const RULE = 'swaps.claimed.not-pending'

/** One such sight may be a chain that was reorganised meanwhile. */
const SEEN_MIN = 2
const ROUNDS_MAX = 60
/** Until a wallet swaps, where nobody can be made to. */
const WAIT_MS_MAX = 40_000
/** From either end of /swaps, as its order is not stated. */
const PAGES_MAX = 4

/**
 * A swap is claimed once claim_tx and claimed_at are there, and unclaimed while it is listed as pending: never both. Read
 * as pending, then in /swaps, then as pending again, so that a claim in between explains nothing.
 */
export const swapsClaimed: Probe = {
  rules: [RULE],
  world: 'reads',
  async run(target, judge) {
    const both: string[] = []
    const until = Date.now() + WAIT_MS_MAX
    for (let round = 1; round <= ROUNDS_MAX && Date.now() < until; round++) {
      const shown = await readPendingInSwaps(target)
      const claimed = shown.filter((row) => isText(row.claim_tx) && isText(row.claimed_at))
      if (shown.length > 0 && claimed.length === 0) {
        judge.pass(RULE, `${shown.length} pending swaps, none of them claimed`)
        return
      }
      both.push(...claimed.map((row) => JSON.stringify(row)))
      if (both.length >= SEEN_MIN) {
        judge.fail(RULE, `${both.length} times a swap was both`, both)
        return
      }
      await goOn(target)
    }
    throw new CannotJudge('no swap of the wallets asked for was pending before and after /swaps was read')
  },
}

/** Rows of /swaps whose swaps were pending before it was read, and still are. */
async function readPendingInSwaps(target: Target): Promise<Record<string, unknown>[]> {
  const before = await readUnclaimed(target, ['pending_swaps'])
  const wanted = pendingOf(before)
  if (wanted.size === 0) return []
  const rows = await readSwaps(target, before.credential, wanted)
  const after = pendingOf(await readOwedTo(target, before.credential))
  return rows.filter((row) => isOf(wanted)(row) && isOf(after)(row))
}

function pendingOf({ reply }: Unclaimed): Set<string> {
  if (reply.status !== 200) throw new CannotJudge(`/unclaimed cannot be read: ${reply.evidence()}`)
  const rows = pickRows(reply.json, 'data.pending_swaps') ?? []
  return new Set(rows.flatMap((row) => pickText(row, 'swap_id') ?? []))
}

function isOf(ids: ReadonlySet<string>): (row: Record<string, unknown>) => boolean {
  return (row) => ids.has(pickText(row, 'swap_id') ?? '')
}

/** The first and the last pages of /swaps, until a swap that is wanted is among them. */
async function readSwaps(
  target: Target,
  credential: Credential,
  wanted: ReadonlySet<string>,
): Promise<Record<string, unknown>[]> {
  const isWanted = isOf(wanted)
  const list = { path: '/swaps', limit: 100, credential, rowsMax: Number.POSITIVE_INFINITY, until: isWanted }
  const first = await walkPages(target, { ...list, pagesMax: PAGES_MAX })
  if (first.rows.some(isWanted) || first.ended) return first.rows
  const from = Math.max(0, (first.total ?? 0) - 100 * (PAGES_MAX - 1))
  return (await walkPages(target, { ...list, from, pagesMax: PAGES_MAX })).rows
}

const BOTH = 'swaps.claimed.both-fields'

/** Until what may be half told is told in full: no claim is still on its way where nothing remains to claim. */
const SETTLES_MS = 5000

/**
 * One of claim_tx and claimed_at alone is neither of the two states. Judged of public swaps of which nothing remains, and
 * only if they stay so: where something remains, a claim may be under way.
 */
export const claimFields: Probe = {
  rules: [BOTH],
  world: 'reads',
  async run(target, judge) {
    const credential = await readCredential(target)
    let settled: Swap[] = []
    const until = Date.now() + WAIT_MS_MAX
    for (let round = 1; round <= ROUNDS_MAX && Date.now() < until; round++) {
      settled = (await readSwapEnds(target, credential)).filter(isSettled)
      if (settled.length > 0) break
      await goOn(target)
    }
    if (settled.length === 0) throw new CannotJudge('no public swap that is claimed in full')
    const before = halves(settled)
    if (before.size === 0) return judge.pass(BOTH, `${settled.length} claimed swaps have both fields`)
    await pause(SETTLES_MS)
    const after = halves((await readSwapEnds(target, credential)).filter(isSettled))
    const stays = [...before].flatMap(([id, swap]) => (after.has(id) ? [JSON.stringify(swap)] : []))
    if (stays.length > 0)
      judge.fail(BOTH, `${stays.length} swaps have one of the two fields`, stays.slice(0, 3))
    else judge.inconclusive(BOTH, 'one of the two fields came late')
  },
}

/** Nothing of its output remains, and it has a claim, or a part of one. */
function isSettled(swap: Swap): boolean {
  const nothingRemains = /^0+(\.0+)?$/.test(pickText(swap, 'amount_remaining') ?? '')
  return nothingRemains && swap.is_private === false && (isText(swap.claim_tx) || isText(swap.claimed_at))
}

/** Those with one of the two fields, by their ids. */
function halves(swaps: readonly Swap[]): Map<string, Swap> {
  const half = swaps.filter((swap) => isText(swap.claim_tx) !== isText(swap.claimed_at))
  return new Map(half.map((swap) => [pickText(swap, 'id') ?? '', swap]))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
