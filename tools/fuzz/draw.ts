/** Chance for generators, by fast-check: the same seed draws the same. */
import fc from 'fast-check'

export type Draw = {
  /** A whole number, each as likely. */
  int(min: number, max: number): number
  pick<Item>(list: readonly Item[]): Item
  /** One of `[weight, item]`, as often as its weight says. */
  weighted<Item>(list: readonly (readonly [weight: number, item: Item])[]): Item
  chance(share: number): boolean
  /** What an arbitrary of fast-check generates. */
  any<Item>(arbitrary: fc.Arbitrary<Item>): Item
}

/** Returns what `make` draws from this seed. */
export function drawFrom<Made>(seed: number, make: (draw: Draw) => Made): Made {
  const arbitrary = fc.gen().map((generate) => make(drawBy((one) => generate(() => one))))
  const [made] = fc.sample(arbitrary, { seed, numRuns: 1 })
  return made as Made // as: one was asked for
}

function drawBy(any: Draw['any']): Draw {
  const int = (min: number, max: number) => any(fc.noBias(fc.integer({ min, max })))
  const pick = <Item>(list: readonly Item[]) => list[int(0, list.length - 1)] as Item // as: lists have some item
  return {
    int,
    pick,
    weighted(list) {
      const total = list.reduce((sum, [weight]) => sum + weight, 0)
      let left = int(1, total)
      for (const [weight, item] of list) {
        left -= weight
        if (left <= 0) return item
      }
      throw new Error('expected positive weights')
    },
    chance: (share) => int(1, 1000) <= share * 1000,
    any,
  }
}

/** The seed of one case of many, so that each can be drawn alone. */
export function seedOfCase(seed: number, number: number): number {
  return Math.imul(Math.imul(seed, 0x9e3779b1) ^ number, 0x85ebca6b) | 0
}
