import { amountsBehind } from '../../amm/position.ts'
import { owedNow, toPositionRange } from '../../chain/ledger.ts'
import { swapView } from '../history/swaps.ts'
import { type IndexedPosition, type IndexState, indexedPool } from '../index-state.ts'
import type { OwnedQuery, PositionView, UnclaimedView } from '../views/trade-views.ts'
import type { Page } from '../views/views.ts'
import { poolView } from './pool-figures.ts'

/** The open positions of an address that the viewer may see, oldest first. */
export function pagePositions(
  state: IndexState,
  query: OwnedQuery & { limit: number; offset: number },
): Page<PositionView> {
  const visible = visiblePositions(state, query)
  const rows = visible.slice(query.offset, query.offset + query.limit)
  return { rows: rows.map((position) => positionView(state, position)), total: visible.length }
}

/** An open position by its id; undefined unless the address owns it. */
export function ownPosition(
  state: IndexState,
  { address, id }: { address: string; id: string },
): PositionView | undefined {
  const position = state.positionsByOwner.get(address)?.get(id)
  return position && positionView(state, position)
}

/** Unclaimed amounts of an address that the viewer may see, oldest first. */
export function getUnclaimed(state: IndexState, query: OwnedQuery): UnclaimedView {
  const pendingSwaps = [...(state.pendingByRecipient.get(query.address)?.values() ?? [])]
    .filter((swap) => isVisible(swap, query))
    .map((swap) => swapView(state, swap))
  const positionsWithOwed = visiblePositions(state, query)
    .map((position) => positionView(state, position))
    .filter(({ tokensOwed0, tokensOwed1 }) => tokensOwed0 > 0n || tokensOwed1 > 0n)
  return { pendingSwaps, positionsWithOwed }
}

function visiblePositions(state: IndexState, query: OwnedQuery): readonly IndexedPosition[] {
  return [...(state.positionsByOwner.get(query.address)?.values() ?? [])].filter((position) =>
    isVisible(position, query),
  )
}

function isVisible({ isPrivate }: { isPrivate: boolean }, { address, viewer }: OwnedQuery): boolean {
  return !isPrivate || viewer === address
}

function positionView(state: IndexState, position: IndexedPosition): PositionView {
  const pool = indexedPool(state, position.pool)
  const range = toPositionRange(position)
  const { liquidity, owed0, owed1 } = owedNow(pool.amm, range)
  return {
    id: position.id,
    owner: position.owner,
    pool: poolView(state, pool),
    tickLower: position.tickLower,
    tickUpper: position.tickUpper,
    liquidity,
    ...amountsBehind(pool.amm, range, liquidity, 'down'),
    tokensOwed0: owed0,
    tokensOwed1: owed1,
    isPrivate: position.isPrivate,
    frozenAtMs: position.frozenAtMs,
    createdAtMs: position.createdAtMs,
    lastTransaction: position.lastTransaction,
  }
}
