import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRankOrder } from './rank-order.ts'

/** Beyond 2^53 neighbors have the same float. */
const rank = fc.option(fc.oneof(fc.bigInt(-3n, 3n), fc.bigInt(2n ** 60n, 2n ** 60n + 3n)), { nil: null })
const ranks = fc.array(rank, { maxLength: 30 })

test('orders like a plain sort when ranks change and pools come and go', () => {
  fc.assert(
    fc.property(fc.array(ranks, { minLength: 1, maxLength: 6 }), (steps) => {
      const order = createRankOrder((rank: bigint | null) => rank)
      for (const step of steps) {
        const { ascending, descending } = order(step)
        expect([...ascending]).toEqual(sorted(step, 1n))
        expect([...descending()]).toEqual(sorted(step, -1n))
      }
    }),
  )
})

test('reads the ranks of other items only, and moves those whose rank has changed', () => {
  const read: number[] = []
  const order = createRankOrder((item: { rank: number }) => {
    read.push(item.rank)
    return BigInt(item.rank)
  })
  const [first, second, third] = [3, 1, 2].map((rank) => ({ rank }))
  if (!first || !second || !third) return expect.unreachable()
  expect([...order([first, second, third]).ascending]).toEqual([1, 2, 0])
  expect([...order([first, { rank: 1 }, third]).ascending]).toEqual([1, 2, 0])
  expect([...order([first, { rank: 9 }, third]).ascending]).toEqual([2, 0, 1])
  expect([...order([first]).ascending]).toEqual([0])
  expect([...order([first, second]).ascending]).toEqual([1, 0])
  expect(read).toEqual([3, 1, 2, 1, 9, 1])
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
