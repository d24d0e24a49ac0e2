/**
 * Finds the runs at which a series of runs changed: E-divisive (Matteson and James, 2014, https://arxiv.org/abs/1306.4933) on
 * distances between whole distributions. Knows nothing about what a run is.
 */

/** Distances between runs in order of time; symmetric, with zeros on the diagonal. */
export type Distances = readonly Float64Array[]

export type ChangePoint = {
  /** The first run after the change. */
  at: number
  /** Share of random orders of the same runs that look at least as changed; null for a candidate. */
  pValue: number | null
  /** False until enough runs followed to rule out chance: one strange run is no change. */
  isConfirmed: boolean
}

export type ChangeOptions = {
  /** In [0, 1). */
  random: () => number
  /** Largest p-value of a change. */
  alpha: number
  /** Random orders for each p-value. */
  permutations: number
  /** Runs that both sides of a confirmed change have. */
  confirmingRuns: number
}

/** In order of time: confirmed changes, then at most one candidate. */
export function findChangePoints(distances: Distances, options: ChangeOptions): ChangePoint[] {
  const runs = distances.map((_, run) => run)
  const confirmed = splitRuns(distances, { ...options, runs })
  const since = confirmed.at(-1)?.at ?? 0
  const candidate = findCandidate(distances, {
    runs: runs.slice(since),
    confirmingRuns: options.confirmingRuns,
  })
  return candidate === undefined ? confirmed : [...confirmed, candidate]
}

type Part = ChangeOptions & { runs: readonly number[] }

/** Splits the runs where both sides differ most, tests that against random orders, and goes on with both sides. */
function splitRuns(distances: Distances, part: Part): ChangePoint[] {
  const { runs, confirmingRuns } = part
  const split = bestSplit(distances, runs, confirmingRuns)
  if (split === undefined) return []
  const measure = (shuffled: readonly number[]) =>
    bestSplit(distances, shuffled, confirmingRuns)?.divergence ?? 0
  const pValue = permutationP(part, { observed: split.divergence, measure })
  const at = runs[split.at]
  if (pValue > part.alpha || at === undefined) return []
  return [
    ...splitRuns(distances, { ...part, runs: runs.slice(0, split.at) }),
    { at, pValue, isConfirmed: true },
    ...splitRuns(distances, { ...part, runs: runs.slice(split.at) }),
  ]
}

/** How much further away than the strangest earlier run. */
const CANDIDATE_FACTOR = 1.5

/**
 * The last runs, at most half of them, if each is further from the runs before than any of these is from the others. More than
 * `confirmingRuns` of them, because a short history has too few orders to confirm a change that early.
 */
function findCandidate(
  distances: Distances,
  { runs, confirmingRuns }: Pick<Part, 'runs' | 'confirmingRuns'>,
): ChangePoint | undefined {
  let found: ChangePoint | undefined
  let farthest = CANDIDATE_FACTOR
  /** Sums of the distances between each run and those before the last ones. */
  const sums = new Float64Array(runs.length)
  for (const [index, added] of runs.entries()) {
    for (const [place, run] of runs.entries())
      sums[place] = (sums[place] ?? 0) + (distances[run]?.[added] ?? 0)
    const before = index + 1
    const at = runs[before]
    if (at === undefined || before < 2 * confirmingRuns || before < runs.length / 2) continue
    const nearest = Math.min(...sums.subarray(before)) / before
    const strangest = Math.max(...sums.subarray(0, before)) / (before - 1)
    if (!(nearest > farthest * strangest)) continue
    farthest = nearest / strangest
    found = { at, pValue: null, isConfirmed: false }
  }
  return found
}

type Split = { at: number; divergence: number }

/**
 * The split with the largest scaled energy distance between the runs before it and those after it, up to any later run: a change
 * that is undone later would hide among all runs after it. Undefined if there are too few runs.
 */
function bestSplit(distances: Distances, runs: readonly number[], sideMin: number): Split | undefined {
  const { length } = runs
  const sums = sumRectangles(distances, runs)
  const width = length + 1
  /** Sum of the distances of all pairs of the first runs. */
  const among = Float64Array.from({ length: width }, (_, end) => sums[end * width + end] ?? 0)
  let best: Split | undefined
  for (let split = sideMin; split <= length - sideMin; split++) {
    const before = among[split] ?? 0
    const ofLeft = before / (split * (split - 1))
    for (let end = split + sideMin; end <= length; end++) {
      const size = end - split
      const upToEnd = sums[split * width + end] ?? 0
      const between = upToEnd - before
      const ofRight = ((among[end] ?? 0) - 2 * upToEnd + before) / (size * (size - 1))
      const energy = (2 * between) / (split * size) - ofLeft - ofRight
      const divergence = ((split * size) / (split + size)) * energy
      if (best === undefined || divergence > best.divergence) best = { at: split, divergence }
    }
  }
  return best
}

/** At [row][column], the sum of the distances between the first `row` runs and the first `column` runs. */
function sumRectangles(distances: Distances, runs: readonly number[]): Float64Array {
  const { length } = runs
  const width = length + 1
  const sums = new Float64Array(width * width)
  for (let row = 0; row < length; row++) {
    const distancesOfRow = distances[runs[row] ?? 0]
    let ofRow = 0
    for (let column = 0; column < length; column++) {
      ofRow += distancesOfRow?.[runs[column] ?? 0] ?? 0
      sums[(row + 1) * width + column + 1] = (sums[row * width + column + 1] ?? 0) + ofRow
    }
  }
  return sums
}

const EPSILON = 1e-9
/** The test stops once the p-value cannot become small: Besag and Clifford, 1991. */
const EXCEEDED_MAX = 20

function permutationP(
  { runs, random, permutations }: Part,
  { observed, measure }: { observed: number; measure: (shuffled: readonly number[]) => number },
): number {
  const shuffled = [...runs]
  let exceeded = 0
  for (let tried = 1; tried <= permutations; tried++) {
    shuffle(shuffled, random)
    if (measure(shuffled) >= observed * (1 - EPSILON)) exceeded++
    if (exceeded === EXCEEDED_MAX) return exceeded / tried
  }
  return (exceeded + 1) / (permutations + 1)
}

function shuffle(items: number[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1))
    const [one = 0, other = 0] = [items[last], items[chosen]]
    items[last] = other
    items[chosen] = one
  }
}
