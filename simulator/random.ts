/**
 * All randomness of a world: one seed, and from it a stream for each name. Streams are independent, so that drawing more
 * in one place does not move what another place draws.
 */
import { createHash } from 'node:crypto'
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

export type RandomStream = {
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number
  /** As int, of any size. */
  bigint(min: bigint, max: bigint): bigint
  /** From 0, included, to 1, excluded, with 53 random bits. */
  float(): number
  bytes(count: number): Uint8Array
  /** One of the items, each as likely; at least one is needed. */
  pick<T>(items: readonly T[]): T
}

export type Random = {
  /** The stream of that name; the same name gives the same stream, going on where it was. */
  stream(name: string): RandomStream
}

export function createRandom(seed: number): Random {
  const streams = new Map<string, RandomStream>()
  return {
    stream(name) {
      const known = streams.get(name)
      if (known) return known
      const stream = createStream(seed, name)
      streams.set(name, stream)
      return stream
    },
  }
}

function createStream(seed: number, name: string): RandomStream {
  const digest = createHash('sha256').update(`${seed}/${name}`).digest()
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => digest.readInt32BE(offset)))
  const int = (min: number, max: number): number => uniformInt(generator, min, max)
  return {
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
}
