import { backOf, type RouteGraph } from './route-graph.ts'

/**
 * By token, a curve that every way of so many hops from there to the last token stays below, as a leg stays below its own
 * (output-bound.ts). One after the other, y in give 1 / (P (p / y + s) + S): of two curves the price is P p, the scarcity
 * P s + S. Infinite where no way leads.
 */
export type Onward = { prices: Float64Array; scarcities: Float64Array }

/** Without a hop left: what is there is what comes out. */
export function onwardAtEnd({ legsFrom }: RouteGraph, tokenOut: number): Onward {
  const onward = nowhere(legsFrom.length)
  onward.prices[tokenOut] = 1
  onward.scarcities[tokenOut] = 0
  return onward
}

/** With one hop more: the lowest price and the lowest scarcity, be they of two ways. */
export function onwardOneHopBefore(graph: RouteGraph, after: Onward): Onward {
  const { legsFrom, ends, prices, scarcities } = graph
  const before = nowhere(legsFrom.length)
  for (let token = 0; token < legsFrom.length; token++) {
    const priceAfter = after.prices[token] as number // as: every token has one
    const scarcityAfter = after.scarcities[token] as number // as: every token has one
    if (priceAfter === Number.POSITIVE_INFINITY) continue
    for (const back of legsFrom[token] ?? []) {
      const leg = backOf(back)
      const start = ends[back] as number // as: every leg ends
      const price = priceAfter * (prices[leg] as number) // as: every leg has one
      const scarcity = priceAfter * (scarcities[leg] as number) + scarcityAfter // as: every leg has one
      before.prices[start] = Math.min(price, before.prices[start] as number) // as: every token has one
      before.scarcities[start] = Math.min(scarcity, before.scarcities[start] as number) // as: every token has one
    }
  }
  return before
}

function nowhere(tokens: number): Onward {
  return {
    prices: new Float64Array(tokens).fill(Number.POSITIVE_INFINITY),
    scarcities: new Float64Array(tokens).fill(Number.POSITIVE_INFINITY),
  }
}
