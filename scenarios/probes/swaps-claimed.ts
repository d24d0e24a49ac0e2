import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { getCredential, withSession } from '../lib/identity/session.ts'
import { differentWallets, walletFor } from '../lib/identity/wallet.ts'
import {
  awaitUnclaimed,
  goOn,
  readOwedTo,
  readUnclaimed,
  type Unclaimed,
} from '../lib/market/read-unclaimed.ts'
import { readSwapEnds, type Swap } from '../lib/market/swap-watch.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../lib/requests/persistence.ts'
import type { Credential } from '../lib/requests/request.ts'
import { walkPages } from '../lib/requests/walk.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const RULE = 'swaps.claimed.not-pending'

const ROUNDS_MAX = 60
/** Pending swaps to follow until one is claimed. */
const FOLLOWED_MAX = 15
/** Wait for a swap of a wallet that cannot be made to swap. */
const WAIT_MS_MAX = 40_000
/** Pages from either end of /swaps, whose order the API does not state. */
const PAGES_MAX = 4

/**
 * A swap is claimed once it has claim_tx and claimed_at, and unclaimed while it is pending: never both. Reads pending swaps, then
 * /swaps, then pending swaps again to rule out a claim in between, and follows them until one is claimed.
 */
export const swapsClaimed: Probe = {
  rules: [RULE],
  world: 'reads',
  async run(target, judge) {
    const known = new Set<string>()
    const until = Date.now() + WAIT_MS_MAX
    let followed = 0
    let shown = 0
    for (let round = 1; round <= ROUNDS_MAX && Date.now() < until && followed < FOLLOWED_MAX; round++) {
      const seen = await readClaims(target, known)
      if (seen.both.length > 0 && (await judgeBoth(target, judge, seen))) return
      if (seen.claimed > 0)
        return judge.pass(RULE, `${seen.claimed} swaps were pending, then claimed and no longer pending`)
      shown += seen.both.length === 0 ? seen.shown : 0
      if (shown > 0) followed++
      await goOn(target)
    }
    if (shown > 0) return judge.pass(RULE, `${shown} times a swap was pending and not claimed`)
    throw new CannotJudge('no swap of the wallets was pending both before and after /swaps was read')
  },
}

type Row = Record<string, unknown>
type Claims = {
  /** Rows of /swaps that were pending before and after it was read. */
  shown: number
  both: Row[]
  /** How many formerly pending swaps are claimed and no longer pending. */
  claimed: number
}

/** Fails only if it persists for one swap: replicas may lag, lists may be cached, and a chain may be reorganized. */
async function judgeBoth(target: Target, judge: Judge, first: Claims): Promise<boolean> {
  let both = first.both
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: ({ both }) => (both.length > 0 ? 'a swap is pending and claimed' : undefined),
    again: async () => {
      const ids = new Set(both.flatMap((row) => pickText(row, 'swap_id') ?? []))
      const seen = await readClaims(target, new Set(ids))
      both = seen.both.filter(hasIdIn(ids))
      return { ...seen, both }
    },
    witness: async () => ({ served: true, explanation: '/unclaimed and /swaps' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome !== 'persistent') return false
  judge.fail(
    RULE,
    explanation,
    last.both.slice(0, 3).map((row) => JSON.stringify(row)),
  )
  return true
}

async function readClaims(target: Target, known: Set<string>): Promise<Claims> {
  const before = await readUnclaimed(target, ['pending_swaps'])
  const wanted = listPending(before)
  const past = new Set([...known].filter((id) => !wanted.has(id)))
  for (const id of wanted) known.add(id)
  if (known.size === 0) return { shown: 0, both: [], claimed: 0 }
  const rows = await readSwaps(target, before.credential, known)
  const after = listPending(await readOwedTo(target, before.credential))
  const shown = rows.filter((row) => hasIdIn(wanted)(row) && hasIdIn(after)(row))
  const claimed = rows.filter((row) => hasIdIn(past)(row) && !hasIdIn(after)(row) && isClaimed(row)).length
  return { shown: shown.length, both: shown.filter(isClaimed), claimed }
}

function isClaimed(row: Row): boolean {
  return isText(row.claim_tx) && isText(row.claimed_at)
}

function listPending({ reply }: Unclaimed): Set<string> {
  if (reply.status !== 200) throw new CannotJudge(`/unclaimed cannot be read: ${reply.evidence()}`)
  const rows = pickRows(reply.json, 'data.pending_swaps') ?? []
  return new Set(rows.flatMap((row) => pickText(row, 'swap_id') ?? []))
}

function hasIdIn(ids: ReadonlySet<string>): (row: Row) => boolean {
  return (row) => ids.has(pickText(row, 'swap_id') ?? '')
}

/** The first and last pages of /swaps, until they contain a wanted swap. */
async function readSwaps(
  target: Target,
  credential: Credential,
  wanted: ReadonlySet<string>,
): Promise<Row[]> {
  const isWanted = hasIdIn(wanted)
  const list = { path: '/swaps', limit: 100, credential, rowsMax: Number.POSITIVE_INFINITY, until: isWanted }
  const first = await walkPages(target, { ...list, pagesMax: PAGES_MAX })
  if (first.rows.some(isWanted) || first.ended) return first.rows
  const from = Math.max(0, (first.total ?? 0) - 100 * (PAGES_MAX - 1))
  return (await walkPages(target, { ...list, from, pagesMax: PAGES_MAX })).rows
}

const BOTH = 'swaps.claimed.both-fields'

/** Time for the second field to appear: with nothing left to claim, no claim is under way. */
const SETTLES_MS = 5000

/** A swap has both fields or neither. Judges only public swaps with nothing left to claim, if the state persists. */
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
    if (settled.length === 0) throw new CannotJudge('no fully claimed public swap')
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

/** No output remains, and at least one claim field is set. */
function isSettled(swap: Swap): boolean {
  const nothingRemains = /^0+(\.0+)?$/.test(pickText(swap, 'amount_remaining') ?? '')
  return nothingRemains && swap.is_private === false && (isText(swap.claim_tx) || isText(swap.claimed_at))
}

function halves(swaps: readonly Swap[]): Map<string, Swap> {
  const half = swaps.filter((swap) => isText(swap.claim_tx) !== isText(swap.claimed_at))
  return new Map(half.map((swap) => [pickText(swap, 'id') ?? '', swap]))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

const OWN = 'swaps.pending.own-only'

/** Outputs owed to one wallet but listed for another. Judged by the swap's public record, since its recipient may be another wallet. */
export const ownOutputs: Probe = {
  rules: [OWN],
  world: 'reads',
  async run(target, judge) {
    await unlessCannot(() => judgeOwnPositions(target, judge, OWN))
    const { credential } = await awaitUnclaimed(target, ['pending_swaps'])
    const wallet = walletFor(target, 'foreignBalance')
    await withSession(target, wallet, async (session) => {
      const check = () => readForeign(target, { owner: credential, other: getCredential(session), wallet })
      const { outcome, last, explanation } = await confirm({
        first: await check(),
        describeError: (foreign) => (foreign.length > 0 ? 'swaps of another wallet' : undefined),
        again: check,
        witness: async () => ({ served: true, explanation: '/unclaimed' }),
      })
      const evidence = last.slice(0, 3).map((row) => JSON.stringify(row))
      if (last.length === 0) judge.pass(OWN, 'no pending swap of one wallet is listed for the other')
      else if (outcome === 'persistent') judge.fail(OWN, explanation, evidence)
      else judge.inconclusive(OWN, explanation, evidence)
    })
  },
}

/** Swaps pending for the owner and listed for the other wallet, which their public records do not name. */
async function readForeign(
  target: Target,
  { owner, other, wallet }: { owner: Credential; other: Credential; wallet: Wallet },
): Promise<Row[]> {
  const mine = listPending(await readOwedTo(target, owner))
  if (mine.size === 0) throw new CannotJudge('no wallet is owed a swap')
  const shared = [...listPending(await readOwedTo(target, other))].filter((id) => mine.has(id))
  if (shared.length === 0) return []
  const isShared = hasIdIn(new Set(shared))
  const rows = (await readSwaps(target, owner, new Set(shared))).filter(isShared)
  if (rows.some(({ user, recipient }) => user === wallet.address || recipient === wallet.address))
    throw new CannotJudge('the two wallets have swaps in common')
  return rows.filter((row) => row.is_private === false)
}

/** The wallets may have no position, so they are not followed for long. */
const POSITION_ROUNDS_MAX = 5

/** Fails the rule if two wallets are shown the same position four times. Uses sessions, whose wallets are known. */
async function judgeOwnPositions(target: Target, judge: Judge, rule: string): Promise<void> {
  const [one, other] = differentWallets(target, 'reads', 'foreignBalance')
  await withSession(target, one, (mine) =>
    withSession(target, other, async (foreign) => {
      const read = async () => {
        const first = await readPositions(target, getCredential(mine))
        const second = await readPositions(target, getCredential(foreign))
        return { count: first.length + second.length, shared: findSharedPositions(first, second) }
      }
      let first = await read()
      for (let round = 1; round < POSITION_ROUNDS_MAX && first.count === 0; round++) {
        await goOn(target)
        first = await read()
      }
      const { outcome, last, explanation } = await confirm({
        first,
        describeError: ({ shared }) => (shared.length > 0 ? 'positions of another wallet' : undefined),
        again: read,
        witness: async () => ({ served: true, explanation: '/unclaimed' }),
      })
      const evidence = last.shared.slice(0, 3).map((row) => JSON.stringify(row))
      if (outcome === 'persistent') judge.fail(rule, explanation, evidence)
    }),
  )
}

async function readPositions(target: Target, credential: Credential): Promise<Row[]> {
  const { reply } = await readOwedTo(target, credential)
  if (reply.status !== 200) throw new CannotJudge(`/unclaimed cannot be read: ${reply.evidence()}`)
  return pickRows(reply.json, 'data.positions_with_owed') ?? []
}

/**
 * Public positions in both lists. Whether a token id is unique is open, so the pool, the range and the last transaction must be
 * the same too, or the amounts owed.
 */
export function findSharedPositions(first: readonly Row[], second: readonly Row[]): Row[] {
  return first.filter((row) => second.some((other) => isSame(row, other)))
}

const NAMES = ['token_id', 'pool', 'tick_lower', 'tick_upper']
const AMOUNTS = ['tokens_owed0', 'tokens_owed1']

function isSame(row: Row, other: Row): boolean {
  const agree = (name: string) => {
    const text = pickText(row, name) ?? ''
    return text !== '' && text === pickText(other, name)
  }
  if (row.is_private !== false || other.is_private !== false || !NAMES.every(agree)) return false
  const owesSome = AMOUNTS.some((name) => /[1-9]/.test(pickText(row, name) ?? ''))
  return agree('last_transaction_hash') || (owesSome && AMOUNTS.every(agree))
}
