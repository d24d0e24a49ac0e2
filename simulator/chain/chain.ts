/**
 * The simulated chain: blocks of transactions on a virtual clock. Its state is plain data, a program turns a state and a
 * transaction into events, and readers see blocks. Independent of agents and indexer.
 */
import { AmmError } from '../amm/amm-error.ts'
import { openBlock, putEntry, setFields, undoBlock } from '../undo-log.ts'
import { type Block, type Receipt, sealBlock } from './block.ts'
import { canonicalText, integer, record, transactionText } from './canonical-text.ts'
import { transactionIdFrom } from './identifiers.ts'
import { changeConfig } from './programs/configuration.ts'
import { collectProtocol, createPool } from './programs/pools.ts'
import {
  burnPosition,
  collectPosition,
  freezePosition,
  increasePosition,
  mintPosition,
  unfreezePosition,
} from './programs/positions.ts'
import { claim, swap } from './programs/swaps.ts'
import { claimFaucet, mintToken, registerToken, setFaucet } from './programs/tokens.ts'
import { Refusal, type RefusedBecause } from './refusal.ts'
import type { ChainState, Program, ProgramContext } from './state.ts'
import type { ChainEvent, Transaction } from './transaction.ts'

export function mineBlock(state: ChainState, transactions: readonly Transaction[], timeMs: number): Block {
  const height = state.height + 1
  openBlock(state.journal)
  const timeS = Math.floor(timeMs / 1000)
  const receipts = transactions.map((transaction, index) =>
    executeTransaction(state, transaction, {
      height,
      timeMs,
      timeS,
      sequence: height * TRANSACTIONS_END + index,
    }),
  )
  const sealed = sealBlock({ height, parentHash: state.hash, timeMs, receipts }, state.eventLogHash)
  const { eventLogHash } = sealed
  setFields(state.journal, state, { height, timeMs, hash: sealed.block.hash, eventLogHash })
  return sealed.block
}

/** Restores the state before the last block. Throws RangeError beyond the journal's depth. */
export function undoLastBlock(state: ChainState): void {
  undoBlock(state.journal)
}

/** `nonce` is the number of the sender's earlier transactions: it makes identical transactions distinct. */
export function deriveTransactionId(transaction: Transaction, nonce: number): string {
  return transactionIdFrom(canonicalText(identityText, { transaction, nonce }))
}

const identityText = record<{ transaction: Transaction; nonce: number }>({
  transaction: transactionText,
  nonce: integer,
})

const TRANSACTIONS_END = 2 ** 24

const PROGRAMS: { [Kind in Transaction['kind']]: Program<Kind> } = {
  registerToken,
  mintToken,
  createPool,
  mintPosition,
  increasePosition,
  burnPosition,
  collectPosition,
  freezePosition,
  unfreezePosition,
  swap,
  claim,
  changeConfig,
  collectProtocol,
  setFaucet,
  claimFaucet,
}

function executeTransaction(
  state: ChainState,
  transaction: Transaction,
  at: Omit<ProgramContext, 'transactionId' | 'nonce'>,
): Receipt {
  const { sender, kind } = transaction
  const before = state.nonces.get(sender)
  const nonce = before ?? 0
  putEntry(state.journal, state.nonces, sender, nonce + 1, before)
  const id = deriveTransactionId(transaction, nonce)
  try {
    const events = runProgram(state, transaction, { transactionId: id, nonce, ...at })
    return { id, sender, kind, refused: null, events }
  } catch (error) {
    return { id, sender, kind, refused: refusedBecause(error), events: [] }
  }
}

/** Returns the code of a refusal; rethrows any other error: it is a bug in the program. */
function refusedBecause(error: unknown): RefusedBecause {
  if (error instanceof Refusal) return error.code
  if (error instanceof AmmError) return `amm.${error.code}`
  throw error
}

function runProgram<Kind extends Transaction['kind']>(
  state: ChainState,
  transaction: Extract<Transaction, { kind: Kind }>,
  context: ProgramContext,
): readonly ChainEvent[] {
  // transaction is of kind Kind, but the compiler cannot derive that from the type parameter.
  return PROGRAMS[transaction.kind as Kind](state, transaction, context)
}
