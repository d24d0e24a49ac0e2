/**
 * What must hold of a world after every block, whatever happened in it: checkers that share no code with what they
 * check, as in TigerBeetle's simulator. They run every so many blocks in tests, and whenever somebody asks.
 */
import { balancesEqualTransfers } from './balances-equal-transfers.ts'
import { candlesAgreeWithTrades } from './candles-agree-with-trades.ts'
import type { Checker, Evidence } from './evidence.ts'
import { poolsSolvent } from './pools-solvent.ts'
import { positionsEqualLiquidity } from './positions-equal-liquidity.ts'
import { supplyConserved } from './supply-conserved.ts'
import { volumesEqualSwaps } from './volumes-equal-swaps.ts'

export const INVARIANTS = {
  supplyConserved,
  poolsSolvent,
  candlesAgreeWithTrades,
  volumesEqualSwaps,
  positionsEqualLiquidity,
  balancesEqualTransfers,
} satisfies Record<string, Checker>

/** Every violation, each a line that begins with the invariant's name. Chain, index and book must stand at one block. */
export function checkInvariants(evidence: Evidence): readonly string[] {
  const { chain, index, book } = evidence
  if (index.head.height !== chain.height || book.height !== chain.height) {
    throw new RangeError(`chain at ${chain.height}, index at ${index.head.height}, book at ${book.height}`)
  }
  return Object.entries(INVARIANTS).flatMap(([name, check]) =>
    check(evidence).map((line) => `${name}: ${line}`),
  )
}
