import type { ChainEvent } from './event.ts'
import type { ChainState } from './state.ts'
import type { Transaction } from './transaction.ts'

export type ProgramContext = {
  transactionId: string
  nonce: number
  height: number
  timeMs: number
  /** The block's time in whole seconds, as pools count it. */
  timeS: number
  /** A number of its own for what the transaction creates, ascending in the order of execution. */
  sequence: number
}

/**
 * Executes one kind of transaction: checks all of it (or throws a Refusal or an AmmError), then changes the state, by way
 * of its journal.
 */
export type Program<Kind extends Transaction['kind']> = (
  state: ChainState,
  transaction: Extract<Transaction, { kind: Kind }>,
  context: ProgramContext,
) => readonly ChainEvent[]
