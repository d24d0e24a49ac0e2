import type { Change } from '../../undo-log.ts'
import type { IndexedPool, IndexState } from '../index-state.ts'
import { curveBounds } from './output-bound.ts'

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
  /** By leg: the curve that it stays below (output-bound.ts). */
  prices: number[]
  scarcities: number[]
}

/** The pool that a leg goes through. */
export function poolOf({ pools }: RouteGraph, leg: Leg): IndexedPool {
  return pools[leg >> 1] as IndexedPool // as: a leg is a pool's
}

/** Whether a leg takes token0 in and gives token1. */
export function isZeroForOne(leg: Leg): boolean {
  return (leg & 1) === 0
}

/** The same pool, gone through the other way. */
export function backOf(leg: Leg): Leg {
  return leg ^ 1
}

/** The graph of the state's head. The last one is kept: only pools that blocks have changed since are looked at again. */
export function routeGraphOf(state: IndexState): RouteGraph {
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
 * Whether the graph's pools are the state's first ones still. A revert puts other objects in the place of all; blocks that
 * are undone take the youngest pools away, and those that come instead are other objects too.
 */
function isBegun({ pools }: RouteGraph, state: IndexState): boolean {
  const youngest = pools.at(-1)
  return !youngest || state.pools.get(youngest.key) === youngest
}

function emptyGraph(): RouteGraph {
  return { pools: [], tokens: new Map(), legsFrom: [], ends: [], prices: [], scarcities: [] }
}

/** Those that are new; their curves are set with those of others that have changed. */
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
    graph.legsFrom[end]?.push(backOf(leg))
    ends.push(end, start)
    pools.push(pool)
  }
}

function setCurves({ prices, scarcities }: RouteGraph, { sequence, amm }: IndexedPool): void {
  const { token0In, token1In } = curveBounds(amm)
  const leg = 2 * sequence
  prices[leg] = token0In.price
  prices[backOf(leg)] = token1In.price
  scarcities[leg] = token0In.scarcity
  scarcities[backOf(leg)] = token1In.scarcity
}

function tokenNumber({ tokens, legsFrom }: RouteGraph, id: string): number {
  const known = tokens.get(id)
  if (known !== undefined) return known
  tokens.set(id, tokens.size)
  legsFrom.push([])
  return tokens.size - 1
}

/** A block, as the journal has it, to tell changes from; undefined before the first one. */
type JournalMark = Change[] | undefined

/** The last block folded. */
export function journalMark({ journal }: IndexState): JournalMark {
  return journal.blocks.at(-1)
}

/**
 * The pools whose price or liquidity blocks after the marked one may have changed, and new ones. Undefined where the
 * journal does not tell: that block was undone or is forgotten, or another state has been put in place.
 */
export function poolsChangedSince(state: IndexState, mark: JournalMark): Set<IndexedPool> | undefined {
  const { blocks } = state.journal
  const place = mark ? blocks.lastIndexOf(mark) : -1
  if (place < 0) return undefined
  const changed = new Set<IndexedPool>()
  for (const change of blocks.slice(place + 1).flat()) {
    // Fields of a pool are remembered before its price or its liquidity changes anywhere: see touchPool.
    if (change.kind !== 'fields') continue
    const { key = '' } = change.target as Partial<IndexedPool> // as: what has no such key is no pool
    const pool = state.pools.get(key)
    if (pool && pool === change.target) changed.add(pool)
  }
  return changed
}
