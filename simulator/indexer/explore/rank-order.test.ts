import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRankOrder } from './rank-order.ts'

/** Beyond 2^53 neighbors have the same float. */
const rank = fc.option(fc.oneof(fc.bigInt(-3n, 3n), fc.bigInt(2n ** 60n, 2n ** 60n + 3n)), { nil: null })
const ranks = fc.array(rank, { maxLength: 30 })

test('orders like a plain sort when ranks change and pools come and go', () => {
  fc.assert(
    fc.property(fc.array(ranks, { minLength: 1, maxLength: 6 }), (steps) => {
      const order = createRankOrder()
      for (const step of steps) {
        const { ascending, descending } = order(step)
        expect([...ascending]).toEqual(sorted(step, 1n))
        expect([...descending()]).toEqual(sorted(step, -1n))
      }
    }),
  )
})

function sorted(step: readonly (bigint | null)[], sign: bigint): number[] {
  return step
    .map((rank, place) => ({ rank, place }))
    .sort((a, b) => {
      if (a.rank === b.rank) return a.place - b.place
      if (a.rank === null) return 1
      if (b.rank === null) return -1
      return (a.rank - b.rank) * sign < 0n ? -1 : 1
    })
    .map(({ place }) => place)
}
