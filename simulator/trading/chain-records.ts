import type { ChainEvent } from '../chain/event.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { Wire } from '../choices/wire.ts'
import type { FoundTransaction } from '../world/chain-node.ts'

type Ids = Pick<Wire, 'tokenId' | 'poolKey' | 'address' | 'timestamp' | 'revision' | 'fee'>

/** A transaction as it stands on the wire, without what shows whose a position or an output is: that may be private. */
export function transactionRecord(found: FoundTransaction, wire: Ids) {
  const { kind, sender } = found.status === 'pending' ? found.transaction : found.receipt
  const shown = {
    id: found.id,
    type: snakeCase(kind),
    ...(isPublic(found) && { sender: wire.address.encode(sender) }),
  }
  if (found.status === 'pending') return { ...shown, status: 'pending' as const, events: [] }
  const { block, index, receipt } = found
  return {
    ...shown,
    status: receipt.refused === null ? ('accepted' as const) : ('refused' as const),
    ...(receipt.refused !== null && { reason: receipt.refused }),
    block: block.height,
    block_hash: block.hash,
    index,
    timestamp: wire.timestamp(block.timeMs),
    events: receipt.events.map((event) => ({ type: snakeCase(event.kind), ...fieldsOf(event, wire) })),
  }
}

/** Whether all may see who sent it. Of a swap that was refused nobody knows whether it was to be private. */
function isPublic(found: FoundTransaction): boolean {
  if (found.status === 'pending') {
    const { transaction } = found
    return transaction.kind === 'swap' ? !transaction.isPrivate : !CONCERNS_HOLDINGS.has(transaction.kind)
  }
  const { kind, events } = found.receipt
  if (kind !== 'swap') return !CONCERNS_HOLDINGS.has(kind)
  return events.some((event) => event.kind === 'swapExecuted' && !event.isPrivate)
}

const CONCERNS_HOLDINGS: ReadonlySet<Transaction['kind']> = new Set([
  'mintPosition',
  'increasePosition',
  'burnPosition',
  'collectPosition',
  'freezePosition',
  'unfreezePosition',
  'claim',
] satisfies Transaction['kind'][])

/** Of what concerns the exchange, or is public elsewhere as well; exact values are strings. */
function fieldsOf(
  event: ChainEvent,
  { tokenId, poolKey, address, revision, fee }: Ids,
): Record<string, unknown> {
  switch (event.kind) {
    case 'tokenRegistered':
      return { token: tokenId.encode(event.token.id), amm_token_program: event.token.ammTokenProgram }
    case 'tokenMinted':
      return { token: tokenId.encode(event.tokenId), amount: String(event.amount) }
    case 'poolCreated':
      return {
        pool: poolKey.encode(event.pool),
        token0: tokenId.encode(event.token0),
        token1: tokenId.encode(event.token1),
        fee: fee(event.feePips),
      }
    case 'poolEnabled':
      return { pool: poolKey.encode(event.pool), enabled: event.enabled }
    case 'swapExecuted':
      return {
        ...(!event.isPrivate && { swap_id: event.swapId, user: address.encode(event.user) }),
        pools: event.hops.map((hop) => poolKey.encode(hop.pool)),
        input_token: tokenId.encode(event.tokenIn),
        output_token: tokenId.encode(event.tokenOut),
        input_amount: String(event.amountIn),
        output_amount: String(event.amountOut),
        is_private: event.isPrivate,
      }
    case 'configChanged':
      return { revision: revision(event.configuration.revision) }
    case 'faucetClaimed':
      return {
        recipient: address.encode(event.recipient),
        records: event.records.map((record) => ({
          id: record.id,
          token: tokenId.encode(record.tokenId),
          amount: String(record.amount),
        })),
      }
    default:
      return {}
  }
}

function snakeCase(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
