import { type Encoder, integer, list, optional, record, text } from './encoder.ts'
import type { ChainEvent } from './event.ts'
import { eventText } from './event-text.ts'
import { sha256Hex } from './identifiers.ts'
import type { RefusedBecause } from './refusal.ts'
import type { Transaction } from './transaction.ts'

export type Receipt = {
  id: string
  sender: string
  kind: Transaction['kind']
  /** Why the chain refused the transaction; null where it took it. A refused one has no events. */
  refused: RefusedBecause | null
  events: readonly ChainEvent[]
}

export type Block = {
  height: number
  parentHash: string
  timeMs: number
  receipts: readonly Receipt[]
  hash: string
}

type UnsealedBlock = Omit<Block, 'hash'>

/** Before the first block. */
export const NO_HASH = '0'.repeat(64)

const receiptText = record<Receipt>({
  id: text,
  sender: text,
  kind: text,
  refused: optional(text),
  events: list(eventText),
})

/** What a block's hash is the hash of: all that the block holds. */
export const blockText: Encoder<UnsealedBlock> = record<UnsealedBlock>({
  height: integer,
  parentHash: text,
  timeMs: integer,
  receipts: list(receiptText),
})

/** The block with its hash, and the event log's hash run on over it: sha256 over the hash so far and the block's own. */
export function sealBlock(
  block: UnsealedBlock,
  eventLogHash: string,
): { block: Block; eventLogHash: string } {
  const hash = sha256Hex(blockText(block))
  return { block: { ...block, hash }, eventLogHash: sha256Hex(`${eventLogHash}${hash}`) }
}
