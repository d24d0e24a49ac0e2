/**
 * Indices in ascending order of their ranks; equal ranks keep the lower index first; indices without a rank are last.
 */
export type RankOrder = {
  ascending: Int32Array
  /** Reversed, except for equal ranks and those without a rank. */
  descending(): Int32Array
}

type Rank = bigint | null

/**
 * Sorts repeatedly as items are replaced: those with another rank are sorted separately and merged with the others, which are
 * still in order. Compares floats for speed, and ranks if two floats are equal. The rank of an item must not change.
 */
export function createRankOrder<Item>(getRank: (item: Item) => Rank): (items: readonly Item[]) => RankOrder {
  let items: readonly Item[] = []
  const ranks: Rank[] = []
  let keys = new Float64Array(0)
  let ascending = new Int32Array(0)

  const compare = (a: number, b: number): number => {
    const keyA = keys[a] as number // as: the caller stays within the ranks, here and below
    const keyB = keys[b] as number
    if (keyA !== keyB) return keyA - keyB
    const rankA = ranks[a] as Rank
    const rankB = ranks[b] as Rank
    if (rankA === rankB || rankA === null || rankB === null) return a - b
    return rankA < rankB ? -1 : 1
  }
  const descending = (): Int32Array => {
    const reversed = ascending.slice()
    let end = ascending.length
    while (end > 0 && keys[ascending[end - 1] as number] === Number.POSITIVE_INFINITY) end--
    let length = 0
    for (let last = end - 1; last >= 0; ) {
      let first = last
      while (first > 0 && isEqual(ascending[first - 1] as number, ascending[last] as number)) first--
      for (let place = first; place <= last; place++) reversed[length++] = ascending[place] as number
      last = first - 1
    }
    return reversed
  }
  const isEqual = (a: number, b: number): boolean => keys[a] === keys[b] && ranks[a] === ranks[b]

  return (renewed) => {
    if (renewed.length !== keys.length) keys = resized(keys, renewed.length)
    ranks.length = Math.min(ranks.length, renewed.length)
    const isSettled = new Uint8Array(renewed.length).fill(1)
    const moved: number[] = []
    for (let place = 0; place < renewed.length; place++) {
      if (place < items.length && renewed[place] === items[place]) continue
      const rank = getRank(renewed[place] as Item)
      if (place < ranks.length && ranks[place] === rank) continue
      ranks[place] = rank
      keys[place] = rank === null ? Number.POSITIVE_INFINITY : Number(rank)
      isSettled[place] = 0
      moved.push(place)
    }
    items = renewed
    ascending = merge({ settled: collect(ascending, isSettled), moved: moved.sort(compare), compare })
    return { ascending, descending }
  }
}

/** The places that are settled; a callback for each would take longer than all else. */
function collect(places: Int32Array, isSettled: Uint8Array): Int32Array {
  const settled = new Int32Array(places.length)
  let length = 0
  for (let index = 0; index < places.length; index++) {
    const place = places[index] as number
    if (isSettled[place] === 1) settled[length++] = place // a place that is gone is undefined
  }
  return settled.subarray(0, length)
}

function resized(keys: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length)
  grown.set(keys.subarray(0, length))
  return grown
}

function merge(options: {
  settled: Int32Array
  moved: readonly number[]
  compare: (a: number, b: number) => number
}): Int32Array<ArrayBuffer> {
  const { settled, moved, compare } = options
  const merged = new Int32Array(settled.length + moved.length)
  let [left, right] = [0, 0]
  for (let place = 0; place < merged.length; place++) {
    const fromSettled =
      right >= moved.length ||
      (left < settled.length && compare(settled[left] as number, moved[right] as number) < 0) // as: within bounds
    merged[place] = (fromSettled ? settled[left++] : moved[right++]) as number
  }
  return merged
}
