/** All randomness of a world: one seed, one independent stream per name, so an extra draw affects no other stream. */
import { createHash } from 'node:crypto'
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

export type RandomStream = {
  /** An integer from `min` to `max`, both inclusive. */
  int(min: number, max: number): number
  bigint(min: bigint, max: bigint): bigint
  /** From 0, inclusive, to 1, exclusive, with 53 random bits. */
  float(): number
  bytes(count: number): Uint8Array
  /** Uniform; throws for an empty list. */
  pick<T>(items: readonly T[]): T
}

export type Random = {
  /** Returns the stream of that name; the same name continues the same stream. */
  stream(name: string): RandomStream
  save(): RandomState
  /** Restores the streams' positions, including streams already handed out; a stream without a saved position restarts. */
  restore(state: RandomState): void
}

export type RandomState = Readonly<Record<string, GeneratorState>>
type GeneratorState = readonly number[]

export function createRandom(seed: number): Random {
  const streams = new Map<string, SavedStream>()
  const getStream = (name: string): SavedStream => {
    const known = streams.get(name)
    if (known) return known
    const created = createStream(firstState(seed, name))
    streams.set(name, created)
    return created
  }
  return {
    stream: (name) => getStream(name).stream,
    save: () => Object.fromEntries([...streams].map(([name, { save }]) => [name, save()])),
    restore(state) {
      for (const [name, { restore }] of streams) restore(firstState(seed, name))
      for (const [name, saved] of Object.entries(state)) getStream(name).restore(saved)
    },
  }
}

function firstState(seed: number, name: string): GeneratorState {
  const digest = createHash('sha256').update(`${seed}/${name}`).digest()
  return [0, 4, 8, 12].map((offset) => digest.readInt32BE(offset))
}

type SavedStream = { stream: RandomStream; save(): GeneratorState; restore(state: GeneratorState): void }

function createStream(state: GeneratorState): SavedStream {
  let generator = xoroshiro128plusFromState(state)
  const int = (min: number, max: number): number => uniformInt(generator, min, max)
  const stream: RandomStream = {
    int,
    bigint: (min, max) => uniformBigInt(generator, min, max),
    float: () => uniformFloat64(generator),
    bytes: (count) => Uint8Array.from({ length: count }, () => int(0, 255)),
    pick(items) {
      if (items.length === 0) throw new RangeError('pick needs at least one item')
      // The index is within the items by construction; an item may itself be undefined.
      return items[int(0, items.length - 1)] as (typeof items)[number]
    },
  }
  return {
    stream,
    save: () => generator.getState(),
    restore: (saved) => {
      generator = xoroshiro128plusFromState(saved)
    },
  }
}

/**
 * Draws from the standard normal distribution (Marsaglia's polar method). Uses only logarithm and square root: sine and cosine
 * differ in their last bit between builds of V8, and a seed must mean the same everywhere.
 */
export function normal(stream: RandomStream): number {
  for (;;) {
    const x = 2 * stream.float() - 1
    const y = 2 * stream.float() - 1
    const squared = x * x + y * y
    if (squared > 0 && squared < 1) return x * Math.sqrt((-2 * Math.log(squared)) / squared)
  }
}

/** Log-normal, for sizes of trades and of pools. */
export function logNormal(
  stream: RandomStream,
  { median, spread }: { median: number; spread: number },
): number {
  return median * Math.exp(spread * normal(stream))
}

/** Weighted choice; at least one weight must be above 0. */
export function pickByWeight<Item extends { weight: number }>(
  items: readonly Item[],
  stream: RandomStream,
): Item {
  let left = stream.float() * items.reduce((sum, { weight }) => sum + weight, 0)
  const drawn = items.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  // Rounding may leave a remainder: the last item gets it.
  return drawn ?? (items.filter(({ weight }) => weight > 0).at(-1) as Item) // as: one has weight
}
