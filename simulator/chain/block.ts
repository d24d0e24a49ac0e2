import { canonicalJson } from './canonical-json.ts'
import type { ChainEvent } from './event.ts'
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

/** Before the first block. */
export const NO_HASH = '0'.repeat(64)

/** The block with its hash, and the event log's hash run on over it: sha256 over the hash so far and the block's own. */
export function sealBlock(
  block: Omit<Block, 'hash'>,
  eventLogHash: string,
): { block: Block; eventLogHash: string } {
  const hash = sha256Hex(canonicalJson(block))
  return { block: { ...block, hash }, eventLogHash: sha256Hex(`${eventLogHash}${hash}`) }
}
