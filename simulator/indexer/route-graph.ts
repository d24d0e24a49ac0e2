import type { IndexedPool, IndexState } from './index-state.ts'
import { rateBound } from './output-bound.ts'

/** A pool gone through one way, by number: twice its sequence for token0 in, one more for token1 in. */
export type Leg = number

/**
 * Tokens and pools by number, in lists that are quick to run through: a route search looks at thousands of pools, most of
 * them once.
 */
export type RouteGraph = {
  /** By sequence. */
  pools: IndexedPool[]
  tokens: Map<string, number>
  /** By token: the legs that start there, the older pools' first. */
  legsFrom: Leg[][]
  /** By leg: where it ends. */
  ends: number[]
  /** By leg: what it gives for one, at most; 0 until somebody has asked. */
  rates: number[]
}

export function poolOf({ pools }: RouteGraph, leg: Leg): IndexedPool {
  return pools[leg >> 1] as IndexedPool // as: a leg is a pool's
}

export function isZeroForOne(leg: Leg): boolean {
  return (leg & 1) === 0
}

/** Works out what the leg gives for one, at most. */
export function setRate(graph: RouteGraph, leg: Leg): number {
  const rate = rateBound(poolOf(graph, leg).amm, isZeroForOne(leg))
  graph.rates[leg] = rate
  return rate
}

/** The same pool, gone through the other way. */
export function backOf(leg: Leg): Leg {
  return leg ^ 1
}

/** The graph of the state's head. The last one is kept, for its pools; its rates only while the head is the same. */
export function routeGraphOf(state: IndexState): RouteGraph {
  const { hash } = state.head
  let kept = keptGraphs.get(state)
  if (!kept || !isBegun(kept.graph, state)) kept = { hash: '', graph: emptyGraph() }
  else if (kept.hash === hash) return kept.graph
  addPools(kept.graph, state)
  kept.graph.rates.fill(0)
  keptGraphs.set(state, { hash, graph: kept.graph })
  return kept.graph
}

const keptGraphs = new WeakMap<IndexState, { hash: string; graph: RouteGraph }>()

/**
 * Whether the graph's pools are the state's first ones still. A revert puts other objects in the place of all; blocks that
 * are undone take the youngest pools away, and those that come instead are other objects too.
 */
function isBegun({ pools }: RouteGraph, state: IndexState): boolean {
  const youngest = pools.at(-1)
  return !youngest || state.pools.get(youngest.key) === youngest
}

function emptyGraph(): RouteGraph {
  return { pools: [], tokens: new Map(), legsFrom: [], ends: [], rates: [] }
}

function addPools(graph: RouteGraph, state: IndexState): void {
  const { pools, ends, rates } = graph
  if (pools.length === state.pools.size) return
  let place = 0
  for (const pool of state.pools.values()) {
    if (place++ < pools.length) continue
    const { token0, token1 } = pool
    const [start, end] = [tokenNumber(graph, token0.id), tokenNumber(graph, token1.id)]
    const leg = 2 * pools.length
    graph.legsFrom[start]?.push(leg)
    graph.legsFrom[end]?.push(backOf(leg))
    ends.push(end, start)
    rates.push(0, 0)
    pools.push(pool)
  }
}

function tokenNumber({ tokens, legsFrom }: RouteGraph, id: string): number {
  const known = tokens.get(id)
  if (known !== undefined) return known
  tokens.set(id, tokens.size)
  legsFrom.push([])
  return tokens.size - 1
}
