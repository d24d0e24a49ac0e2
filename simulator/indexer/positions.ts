import { owedNow, rangeOf } from '../chain/position-account.ts'
import { type IndexedPosition, type IndexState, indexedPool, indexedPosition } from './index-state.ts'
import type { OwnedQuery, Page, PositionView, SwapView, UnclaimedView } from './views.ts'

export function pageOfPositions(
  state: IndexState,
  query: OwnedQuery & { limit: number; offset: number },
): Page<PositionView> {
  const visible = visiblePositions(state, query)
  const rows = visible.slice(query.offset, query.offset + query.limit)
  return { rows: rows.map((position) => positionView(state, position)), total: visible.length }
}

export function unclaimedOf(state: IndexState, query: OwnedQuery): UnclaimedView {
  const indexes = [...(state.pendingByRecipient.get(query.address) ?? [])]
  const pendingSwaps = indexes
    .map((index) => state.swaps[index])
    .filter((swap): swap is SwapView => swap !== undefined && isVisible(swap, query))
  const positionsWithOwed = visiblePositions(state, query)
    .map((position) => positionView(state, position))
    .filter(({ tokensOwed0, tokensOwed1 }) => tokensOwed0 > 0n || tokensOwed1 > 0n)
  return { pendingSwaps, positionsWithOwed }
}

function visiblePositions(state: IndexState, query: OwnedQuery): readonly IndexedPosition[] {
  return [...(state.positionsByOwner.get(query.address) ?? [])]
    .map((id) => indexedPosition(state, id))
    .filter((position) => isVisible(position, query))
}

function isVisible({ isPrivate }: { isPrivate: boolean }, { address, viewer }: OwnedQuery): boolean {
  return !isPrivate || viewer === address
}

function positionView(state: IndexState, position: IndexedPosition): PositionView {
  const pool = indexedPool(state, position.pool)
  const { liquidity, owed0, owed1 } = owedNow(pool.amm, rangeOf(position))
  return { ...position, pool: pool.view, liquidity, tokensOwed0: owed0, tokensOwed1: owed1 }
}
