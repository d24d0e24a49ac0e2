import { type Changes, fieldChanges } from '../../undo-log.ts'
import type { IndexedPool, IndexState } from '../index-state.ts'
import { curveBounds } from './output-bound.ts'

/** A pool in one direction, by number: twice its sequence for token0 in, one more for token1 in. */
export type Leg = number

/**
 * Tokens and pools by number, in lists for fast iteration: a route search reads thousands of pools, most of them once.
 */
export type RouteGraph = {
  /** By sequence. */
  pools: IndexedPool[]
  tokens: Map<string, number>
  /** By token: legs that start there, older pools first. */
  legsFrom: Leg[][]
  /** End token by leg. */
  ends: number[]
  /** By leg: the curve that bounds it (output-bound.ts). */
  prices: number[]
  scarcities: number[]
}

export function getLegPool({ pools }: RouteGraph, leg: Leg): IndexedPool {
  return pools[leg >> 1] as IndexedPool // as: every leg has a pool
}

/** True for token0 in and token1 out. */
export function isZeroForOne(leg: Leg): boolean {
  return (leg & 1) === 0
}

/** The same pool in the other direction. */
export function reverseLeg(leg: Leg): Leg {
  return leg ^ 1
}

/** The graph of the state's head, cached: only pools that blocks have changed since are updated. */
export function getRouteGraph(state: IndexState): RouteGraph {
  const mark = journalMark(state)
  let kept = keptGraphs.get(state)
  if (!kept || !isBegun(kept.graph, state)) kept = { mark: undefined, graph: emptyGraph() }
  else if (mark && mark === kept.mark) return kept.graph
  const { graph } = kept
  addPools(graph, state)
  for (const pool of poolsChangedSince(state, kept.mark) ?? graph.pools) setCurves(graph, pool)
  keptGraphs.set(state, { mark, graph })
  return graph
}

const keptGraphs = new WeakMap<IndexState, { mark: JournalMark; graph: RouteGraph }>()

/**
 * True if the graph's pools are still the state's first ones. A revert replaces all objects; undone blocks remove the
 * youngest pools, and their successors are other objects too.
 */
function isBegun({ pools }: RouteGraph, state: IndexState): boolean {
  const youngest = pools.at(-1)
  return !youngest || state.pools.get(youngest.key) === youngest
}

function emptyGraph(): RouteGraph {
  return { pools: [], tokens: new Map(), legsFrom: [], ends: [], prices: [], scarcities: [] }
}

/** Adds new pools; the caller sets their curves with those of changed ones. */
function addPools(graph: RouteGraph, state: IndexState): void {
  const { pools, ends } = graph
  if (pools.length === state.pools.size) return
  let place = 0
  for (const pool of state.pools.values()) {
    if (place++ < pools.length) continue
    const { token0, token1 } = pool
    const [start, end] = [tokenNumber(graph, token0.id), tokenNumber(graph, token1.id)]
    const leg = 2 * pools.length
    graph.legsFrom[start]?.push(leg)
    graph.legsFrom[end]?.push(reverseLeg(leg))
    ends.push(end, start)
    pools.push(pool)
  }
}

function setCurves({ prices, scarcities }: RouteGraph, { sequence, amm }: IndexedPool): void {
  const { token0In, token1In } = curveBounds(amm)
  const leg = 2 * sequence
  prices[leg] = token0In.price
  prices[reverseLeg(leg)] = token1In.price
  scarcities[leg] = token0In.scarcity
  scarcities[reverseLeg(leg)] = token1In.scarcity
}

function tokenNumber({ tokens, legsFrom }: RouteGraph, id: string): number {
  const known = tokens.get(id)
  if (known !== undefined) return known
  tokens.set(id, tokens.size)
  legsFrom.push([])
  return tokens.size - 1
}

/** A block in the journal to compare with; undefined before the first one. */
type JournalMark = Changes | undefined

/** The last folded block. */
export function journalMark({ journal }: IndexState): JournalMark {
  return journal.blocks.at(-1)
}

/**
 * New pools, and those whose price or liquidity may have changed after the marked block. Undefined if the journal
 * cannot tell: that block was undone or is forgotten, or another state has replaced it.
 */
export function poolsChangedSince(state: IndexState, mark: JournalMark): Set<IndexedPool> | undefined {
  const { blocks } = state.journal
  const place = mark ? blocks.lastIndexOf(mark) : -1
  if (place < 0) return undefined
  const changed = new Set<IndexedPool>()
  for (const changes of blocks.slice(place + 1))
    for (const { target } of fieldChanges(changes)) {
      // A pool's fields are journaled before its price or liquidity changes: see touchPool.
      const { key = '' } = target as Partial<IndexedPool> // as: without a key it is not a pool
      const pool = state.pools.get(key)
      if (pool && pool === target) changed.add(pool)
    }
  return changed
}
