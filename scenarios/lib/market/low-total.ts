import type { Target } from '../../../contract/scenario-config.ts'
import { pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../requests/persistence.ts'
import { type Walk, walkPages } from '../requests/walk.ts'

type List = Omit<Parameters<typeof walkPages>[1], 'from'>
type EndWalk = Pick<Walk, 'rows' | 'mostTotal' | 'last'> & { from: number }

/**
 * Finds a list with more different rows than the largest total of its pages, so that a client that stops at the total loses rows.
 * Fails only if this stays so four times, over more time than a count may lag behind, and if the last total still is below the
 * first number of rows: rows that were added since explain nothing.
 *
 * @param id the field that identifies a row
 * @param start a walk over the beginning of the list, if there is one
 */
export async function findLowTotal(
  target: Target,
  { id, start, ...list }: List & { id: string; start?: Walk },
): Promise<{ problem: string; evidence: string[] } | undefined> {
  const walkEnd = async (walk: Walk): Promise<EndWalk> => {
    const { rows, ended, mostTotal = 0 } = walk
    if (ended || rows.length >= mostTotal) return { ...walk, from: 0 }
    const from = Math.max(0, mostTotal - Math.ceil(list.limit / 2))
    return { ...(await walkPages(target, { ...list, from })), from }
  }
  const again = async () => walkEnd(await walkPages(target, list))
  const first = start === undefined ? await again() : await walkEnd(start)
  const known = countDifferent(first, id)
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: (walk) =>
      Math.min(known, countDifferent(walk, id)) > (walk.mostTotal ?? known)
        ? 'more different rows than the total'
        : undefined,
    again,
    witness: async () => ({ served: true, explanation: `${list.path} is served` }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome !== 'persistent') return undefined
  const seen = `${known} different rows, and then a total of ${last.mostTotal}`
  return { problem: `${seen}: ${explanation}`, evidence: [last.last.evidence()] }
}

/** Rows without the field do not count. */
export function countDifferent({ rows, from }: Pick<EndWalk, 'rows' | 'from'>, id: string): number {
  return from + new Set(rows.flatMap((row) => pickText(row, id) ?? [])).size
}
