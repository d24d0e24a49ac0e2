import type { ChainPosition, ChainState } from '../chain/state.ts'

/** All open positions by the key of their pool. */
export function positionsByPool({ positions }: ChainState): ReadonlyMap<string, readonly ChainPosition[]> {
  const groups = new Map<string, ChainPosition[]>()
  for (const position of positions.values()) {
    const group = groups.get(position.pool)
    if (group) group.push(position)
    else groups.set(position.pool, [position])
  }
  return groups
}
