export type Pair = { tokenIn: string; tokenOut: string; distance: number }

/**
 * Ordered token pairs with the number of pools on the shortest path between them (Infinity if unconnected),
 * farthest first: those reveal a hop limit.
 */
export function farthestPairs(
  tokens: readonly string[],
  pools: readonly { token0: string; token1: string }[],
): Pair[] {
  const neighbors = new Map<string, string[]>()
  for (const { token0, token1 } of pools) {
    neighbors.set(token0, [...(neighbors.get(token0) ?? []), token1])
    neighbors.set(token1, [...(neighbors.get(token1) ?? []), token0])
  }
  const pairs = tokens.flatMap((tokenIn) => {
    const distances = distancesFrom(tokenIn, neighbors)
    return tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .map((tokenOut) => ({
        tokenIn,
        tokenOut,
        distance: distances.get(tokenOut) ?? Number.POSITIVE_INFINITY,
      }))
  })
  return pairs.sort((left, right) => (left.distance === right.distance ? 0 : right.distance - left.distance))
}

/** Two tokens: those of a pool, or those that a hop takes and gives. */
export type Sides = readonly [string, string]

/** No path over the pools leads from one token to the other. The order of the hops is open, and so is a split among paths. */
export function isApart(
  pools: readonly Sides[] | undefined,
  { tokenIn, tokenOut }: Pick<Pair, 'tokenIn' | 'tokenOut'>,
): boolean {
  const both = pools?.flatMap(([one, other]): Sides[] => [
    [one, other],
    [other, one],
  ])
  return isOneWayApart(both, { tokenIn, tokenOut })
}

/** Like isApart, but each hop leads only from its first token to its second one. */
export function isOneWayApart(
  hops: readonly Sides[] | undefined,
  { tokenIn, tokenOut }: Pick<Pair, 'tokenIn' | 'tokenOut'>,
): boolean {
  if (hops === undefined) return false
  const reached = new Set([tokenIn])
  for (const _ of hops) for (const [from, to] of hops) if (reached.has(from)) reached.add(to)
  return !reached.has(tokenOut)
}

/** Interleaves the distances: one pair of each distance, then the next of each. */
export function ofEachDistance(pairs: readonly Pair[]): Pair[] {
  const counts = new Map<number, number>()
  const turns = pairs.map((pair) => {
    const turn = counts.get(pair.distance) ?? 0
    counts.set(pair.distance, turn + 1)
    return { pair, turn }
  })
  return turns.sort((one, other) => one.turn - other.turn).map(({ pair }) => pair)
}

function distancesFrom(start: string, neighbors: ReadonlyMap<string, string[]>): Map<string, number> {
  const distances = new Map([[start, 0]])
  const queue = [start]
  for (let token = queue.shift(); token !== undefined; token = queue.shift()) {
    for (const next of neighbors.get(token) ?? []) {
      if (distances.has(next)) continue
      distances.set(next, (distances.get(token) ?? 0) + 1)
      queue.push(next)
    }
  }
  return distances
}

/**
 * Builds an unlisted id that looks like a listed one: one character is replaced by the character at that
 * position of another id of equal length. Undefined if no new id results.
 */
export function unlistedId(listed: readonly string[]): string | undefined {
  const known = new Set(listed)
  for (const id of listed) {
    const others = listed.filter((other) => other.length === id.length && other !== id)
    // From the end, because id prefixes are more likely to have a meaning.
    for (let at = id.length - 1; at >= 0; at--) {
      for (const other of others) {
        const made = `${id.slice(0, at)}${other.charAt(at)}${id.slice(at + 1)}`
        if (!known.has(made)) return made
      }
    }
  }
  return undefined
}

/**
 * Non-canonical spellings of an amount: sign, exponent, leading zero, separators, fraction, decimal comma,
 * white space, another base, non-ASCII digits. The value stays the same, so only the spelling can be
 * rejected, except for two short spellings with exponent: some parsers accept only those.
 */
export function notCanonical(amount: string): string[] {
  const grouped = (separator: string) => amount.replace(/\B(?=([0-9]{3})+$)/g, separator)
  const digits = (zero: number) =>
    [...amount].map((digit) => String.fromCodePoint(zero + Number(digit))).join('')
  const spellings = [
    `+${amount}`,
    `-${amount}`,
    `${amount}e0`,
    `${amount}E0`,
    '1e6',
    '5E3',
    `0${amount}`,
    `${amount}.0`,
    `${amount}.`,
    `${amount},0`,
    ` ${amount}`,
    `${amount} `,
    `\t${amount}`,
    `${amount}\n`,
    `\u00a0${amount}`,
    grouped(','),
    grouped('_'),
    grouped(' '),
    grouped("'"),
    grouped('.'),
    `0x${BigInt(amount).toString(16)}`,
    digits(0x0660),
    digits(0xff10),
  ]
  return [...new Set(spellings)].filter((spelling) => spelling !== amount)
}
