import type { HistoryLog } from './history/history-log.ts'
import type { IndexState } from './index-state.ts'

/**
 * Copies plain data: objects, arrays, maps and sets, in any graph. Unlike structuredClone, the copy shares strings and bigints,
 * which are most of an index, and the objects in `shared`, which must never change. Throws TypeError for other objects.
 */
export function copyState<State>(state: State, shared: Iterable<object> = []): State {
  const copies = new Map<object, object>()
  for (const row of shared) copies.set(row, row)
  return copyValue(state, copies) as State // as: a copy has the type of its original
}

function copyValue(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value
  return copies.get(value) ?? copyObject(value, copies)
}

/** Registers each copy before its contents, which may refer to it. */
function copyObject(original: object, copies: Map<object, object>): object {
  if (original instanceof Map) {
    const copy = new Map<unknown, unknown>()
    copies.set(original, copy)
    for (const [key, value] of original) copy.set(copyValue(key, copies), copyValue(value, copies))
    return copy
  }
  if (original instanceof Set) {
    const copy = new Set<unknown>()
    copies.set(original, copy)
    for (const item of original) copy.add(copyValue(item, copies))
    return copy
  }
  if (Array.isArray(original)) {
    const copy: unknown[] = original.slice()
    copies.set(original, copy)
    for (const [place, item] of original.entries())
      if (typeof item === 'object') copy[place] = copyValue(item, copies)
    return copy
  }
  if (Object.getPrototypeOf(original) !== Object.prototype) throw new TypeError('copyState: not plain data')
  const copy: Record<string, unknown> = { ...original }
  copies.set(original, copy)
  for (const key in copy) {
    const value = copy[key]
    if (typeof value === 'object' && value !== null) copy[key] = copyValue(value, copies)
  }
  return copy
}

/** The objects of an index that are replaced or dropped, but never change: most of them. Replicas share these. */
export function* immutableRows(state: IndexState): Generator<object> {
  yield* [state.head, state.protocol, ...state.tokens.values()]
  yield* rowsOf(state.trades)
  yield* rowsOf(state.faucetRecords)
  for (const { hops } of rowsOf(state.swaps)) yield hops
  for (const { token0, token1, trades, candles } of state.pools.values()) {
    yield* [token0, token1]
    yield* rowsOf(trades)
    for (const closed of candles.closed) yield* rowsOf(closed)
  }
  for (const changes of state.journal.blocks)
    for (const change of changes) if (change.kind === 'fields') yield change.before
}

function* rowsOf<Row>({ chunks }: HistoryLog<Row>): Generator<Row> {
  for (const chunk of chunks) yield* chunk
}
