import { countAppended, firstNumberNot, type HistoryLog, itemNumbered } from './history-log.ts'

/** Numbers as readers get them: place 0 is the newest, that is the greatest. */
export type NewestFirst = { length: number; at(place: number): number }

/** The numbers of a log, which ascend, from `oldest` on. */
export function newestFirst(log: HistoryLog<number> | undefined, oldest: number): NewestFirst {
  if (!log) return { length: 0, at: () => Number.NaN }
  const end = countAppended(log)
  return {
    length: end - firstNumberNot(log, (number) => number < oldest),
    at: (place) => itemNumbered(log, end - 1 - place) ?? Number.NaN,
  }
}

/**
 * A page of two lists as if they were one; no number is in both. Found by bisection, so that the last page costs hardly more
 * than the first.
 */
export function newestOfBoth(
  one: NewestFirst,
  other: NewestFirst,
  { limit, offset }: { limit: number; offset: number },
): readonly number[] {
  const before = Math.min(offset, one.length + other.length)
  let placeOne = countOfOne(one, other, before)
  let placeOther = before - placeOne
  const numbers: number[] = []
  while (numbers.length < limit && (placeOne < one.length || placeOther < other.length)) {
    const isOne =
      placeOther >= other.length || (placeOne < one.length && one.at(placeOne) > other.at(placeOther))
    numbers.push(isOne ? one.at(placeOne++) : other.at(placeOther++))
  }
  return numbers
}

/** How many of the `count` newest of both are of the first list. */
function countOfOne(one: NewestFirst, other: NewestFirst, count: number): number {
  let low = Math.max(0, count - other.length)
  let high = Math.min(count, one.length)
  while (low < high) {
    const middle = (low + high) >> 1
    // Too few of the first, if its next one is newer than the last that the other would give.
    if (one.at(middle) > other.at(count - middle - 1)) low = middle + 1
    else high = middle
  }
  return low
}
