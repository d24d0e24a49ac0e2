import type { Operation } from '../contract/history.ts'
import { linearize, type Model } from './linearize.ts'

export type Shrinkable = {
  operations: readonly Operation[]
  model: Model
  /** The model for a part of the history, which may begin in any state that the operations before it can lead to. */
  modelPart: (part: readonly Operation[], before: readonly Operation[]) => Model
  /** True for an operation that has no effect. */
  isRead: (operation: Operation) => boolean
}

/**
 * Returns the shortest part that still has no order: the operations until the first contradiction, since the last moment
 * without operations under way that suffices, without the reads that are not needed.
 */
export function shrink({ operations, model, modelPart, isRead }: Shrinkable): Operation[] {
  const fails = (part: readonly Operation[], by: Model) => linearize(by, part) === 'no'
  const until = cutEnd(operations, { isRead, fails: (part) => fails(part, model) })
  const from = listCalmMoments(until).findLast((index) => {
    const part = until.slice(index)
    return fails(part, modelPart(part, until.slice(0, index)))
  })
  let kept = until.slice(from ?? 0)
  const chosen = from === undefined ? model : modelPart(kept, until.slice(0, from))
  for (const operation of kept.filter(isRead)) {
    const without = kept.filter((each) => each !== operation)
    if (fails(without, chosen)) kept = without
  }
  return kept
}

/** The operations until the return with which the history becomes impossible. Later returns are unknown at that moment. */
function cutEnd(
  operations: readonly Operation[],
  { isRead, fails }: { isRead: Shrinkable['isRead']; fails: (part: readonly Operation[]) => boolean },
): Operation[] {
  const returns = operations
    .map((operation) => operation.return)
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  const cutAt = (untilUs: number): Operation[] =>
    operations.flatMap((operation) => {
      if (operation.return <= untilUs) return [operation]
      if (operation.call > untilUs || isRead(operation)) return []
      return [{ ...operation, return: Number.POSITIVE_INFINITY }]
    })
  let [low, high] = [0, returns.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (fails(cutAt(returns[middle] ?? 0))) high = middle
    else low = middle + 1
  }
  return cutAt(returns[low] ?? 0)
}

/** Indexes of the operations before whose call all others have returned. */
function listCalmMoments(operations: readonly Operation[]): number[] {
  const moments: number[] = []
  let lastReturnUs = 0
  for (const [index, operation] of operations.entries()) {
    if (index > 0 && operation.call > lastReturnUs) moments.push(index)
    lastReturnUs = Math.max(lastReturnUs, operation.return)
  }
  return moments
}
