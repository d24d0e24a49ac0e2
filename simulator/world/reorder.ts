import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { MinedBlock } from './world-state.ts'

/** Of a branch's transactions, how many do not come into the blocks that replace it, and how many a block later. */
const DROPPED_SHARE = 0.1
const LATE_SHARE = 0.25

export type Reordered = {
  /** As many as the branch had, at its times. */
  blocks: readonly MinedBlock[]
  /** Submitted, and too late for the last of them. */
  left: readonly Transaction[]
}

/**
 * Deals a branch's transactions over the blocks that replace it. Those that `keeps` names stay where they were. What was
 * submitted is never dropped; the agents' may be, and are where they would come after the last block. The first of these
 * comes late: so the blocks differ from the branch, unless it had none of them, and comes back as it was.
 */
export function reorder(
  branch: readonly MinedBlock[],
  { stream, keeps }: { stream: RandomStream; keeps: (transaction: Transaction) => boolean },
): Reordered {
  let late: Dealt = nothing()
  let isFirst = true
  const fate = (transaction: Transaction): Fate => {
    if (keeps(transaction)) return 'stays'
    const drawn = stream.float()
    if (isFirst || drawn < LATE_SHARE) {
      isFirst = false
      return 'late'
    }
    return drawn < LATE_SHARE + DROPPED_SHARE ? 'dropped' : 'stays'
  }
  const blocks = branch.map(({ timeMs, submitted, drawn }) => {
    const here = late
    late = nothing()
    for (const transaction of submitted)
      (fate(transaction) === 'late' ? late : here).submitted.push(transaction)
    for (const transaction of drawn) {
      const dealt = fate(transaction)
      if (dealt !== 'dropped') (dealt === 'late' ? late : here).drawn.push(transaction)
    }
    return { timeMs, ...here }
  })
  return { blocks, left: late.submitted }
}

type Fate = 'stays' | 'late' | 'dropped'
type Dealt = { submitted: Transaction[]; drawn: Transaction[] }

function nothing(): Dealt {
  return { submitted: [], drawn: [] }
}
