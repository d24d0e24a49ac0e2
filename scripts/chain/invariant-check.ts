import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Block } from '../../simulator/chain/block.ts'
import { emptyBook, enterBlock } from '../../simulator/invariants/book.ts'
import { checkInvariants, INVARIANTS } from '../../simulator/invariants/invariants.ts'
import type { WorldState } from '../../simulator/world/world.ts'

export type InvariantCheck = {
  /** To be called with every block from the first one on, once it is indexed. Throws a BreakwaterError (failed). */
  add(block: Block, state: WorldState): void
  /** Of the last block. Throws as add does. */
  finish(): void
  /** So far. */
  result(): { invariants: number; blocksChecked: number }
}

const LINES_MAX = 10

/** Holds a world to the invariants every so many blocks. */
export function createInvariantCheck({ everyBlocks }: { everyBlocks: number }): InvariantCheck {
  const book = emptyBook()
  let latest: WorldState | undefined
  let checkedHeight = -1
  let blocksChecked = 0

  const check = ({ chain, index }: WorldState): void => {
    checkedHeight = chain.height
    blocksChecked++
    const violations = checkInvariants({ chain, index, book })
    if (violations.length > 0) throw violated(chain.height, violations)
  }
  return {
    add(block, state) {
      enterBlock(book, block)
      latest = state
      if (block.height % everyBlocks === 0) check(state)
    },
    finish() {
      if (latest && checkedHeight < latest.chain.height) check(latest)
    },
    result: () => ({ invariants: Object.keys(INVARIANTS).length, blocksChecked }),
  }
}

function violated(height: number, violations: readonly string[]): BreakwaterError {
  const shown = violations.slice(0, LINES_MAX).map((line) => `\n  ${line}`)
  const more = violations.length - shown.length
  return new BreakwaterError(
    `after block ${height} an invariant does not hold:${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`,
    { hint: 'This is a fault of the simulator: world, seed and block reproduce it.', exitCode: EXIT.failed },
  )
}
