import type { RandomStream } from '../random.ts'

/** One of the items, each as likely as its weight says; at least one has a weight above 0. */
export function pickByWeight<Item extends { weight: number }>(
  items: readonly Item[],
  stream: RandomStream,
): Item {
  let left = stream.float() * items.reduce((sum, { weight }) => sum + weight, 0)
  const drawn = items.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  // Rounding may leave a last trace of weight: it is the last item's.
  return drawn ?? (items.filter(({ weight }) => weight > 0).at(-1) as Item) // as: one has weight
}
