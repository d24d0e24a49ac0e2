import type { Target } from '../../contract/scenario-config.ts'
import { goOn, readOwedTo, readUnclaimed, type Unclaimed } from '../lib/market/read-unclaimed.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { walkPages } from '../lib/requests/walk.ts'

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
  return rows.filter((row) => wanted.has(String(row.swap_id)) && after.has(String(row.swap_id)))
}

function pendingOf({ reply }: Unclaimed): Set<string> {
  if (reply.status !== 200) throw new CannotJudge(`/unclaimed cannot be read: ${reply.evidence()}`)
  const rows = pickRows(reply.json, 'data.pending_swaps') ?? []
  return new Set(rows.flatMap((row) => pickText(row, 'swap_id') ?? []))
}

/** The first and the last pages of /swaps, until a swap that is wanted is among them. */
async function readSwaps(
  target: Target,
  credential: Credential,
  wanted: ReadonlySet<string>,
): Promise<Record<string, unknown>[]> {
  const isWanted = (row: Record<string, unknown>) => wanted.has(String(row.swap_id))
  const list = { path: '/swaps', limit: 100, credential, rowsMax: Number.POSITIVE_INFINITY, until: isWanted }
  const first = await walkPages(target, { ...list, pagesMax: PAGES_MAX })
  if (first.rows.some(isWanted) || first.ended) return first.rows
  const from = Math.max(0, (first.total ?? 0) - 100 * (PAGES_MAX - 1))
  return (await walkPages(target, { ...list, from, pagesMax: PAGES_MAX })).rows
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
