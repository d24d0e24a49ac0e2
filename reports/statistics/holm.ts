/**
 * P values of a family of comparisons, each raised so that the chance of even one false alarm among all of them stays below
 * any level that they are then held against (Holm 1979). In the order given.
 */
export function adjustByHolm(pValues: readonly number[]): number[] {
  const rising = pValues.map((p, index) => ({ p, index })).sort((x, y) => x.p - y.p)
  const adjusted = new Array<number>(pValues.length).fill(1)
  let before = 0
  for (const [rank, { p, index }] of rising.entries()) {
    before = Math.min(1, Math.max(before, p * (pValues.length - rank)))
    adjusted[index] = before
  }
  return adjusted
}
