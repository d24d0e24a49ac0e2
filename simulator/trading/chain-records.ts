import type { ChainState } from '../chain/state.ts'
import type { ChainEvent, Transaction } from '../chain/transaction.ts'
import type { Wire } from '../choices/wire.ts'
import type { FoundTransaction } from '../world/chain-node.ts'

type RecordIds = Pick<Wire, 'tokenId' | 'poolKey' | 'address' | 'timestamp' | 'revision' | 'fee'>

/** A transaction in wire format, without the owners of positions or outputs: they may be private. */
export function transactionRecord(found: FoundTransaction, wire: RecordIds) {
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
    events: receipt.events.map((event) => ({ type: snakeCase(event.kind), ...selectFields(event, wire) })),
  }
}

/** True if the sender is public. A rejected swap does not record whether it was private. */
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

/** Fields that concern the exchange or are public elsewhere; exact values are strings. */
function selectFields(
  event: ChainEvent,
  { tokenId, poolKey, address, revision, fee }: RecordIds,
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

/** A mapping of a program. Ids are in wire format. */
type Mapping = {
  key: string
  size(state: ChainState): number
  /** undefined: unknown key. Exact values are strings. */
  read(state: ChainState, key: string, wire: Ids): MappingValue | undefined
}

type MappingValue = Readonly<Record<string, string | number | boolean>>

type Ids = Pick<Wire, 'tokenId' | 'poolKey' | 'address' | 'timestamp' | 'revision' | 'fee'>

/** Every program and its mappings, without data of single wallets (balances, positions, unclaimed outputs), some private. */
export const PROGRAMS: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  'exchange.program': {
    pools: {
      key: 'the key of a pool',
      size: ({ pools }) => pools.size,
      read({ pools }, key, { poolKey, tokenId, fee }) {
        const pool = pools.get(poolKey.decode(key) ?? '')
        if (!pool) return undefined
        const { amm } = pool
        return {
          token0: tokenId.encode(pool.token0),
          token1: tokenId.encode(pool.token1),
          fee: fee(amm.feePips),
          tick_spacing: amm.tickSpacing,
          enabled: pool.enabled,
          sqrt_price_x96: String(amm.sqrtPriceX96),
          tick: amm.tick,
          liquidity: String(amm.liquidity),
          balance0: String(pool.balance0),
          balance1: String(pool.balance1),
        }
      },
    },
  },
  'token_registry.program': {
    tokens: {
      key: 'the id of a token',
      size: ({ tokens }) => tokens.size,
      read({ tokens }, key, { tokenId }) {
        const token = tokens.get(tokenId.decode(key) ?? '')
        if (!token) return undefined
        const { ammTokenProgram, decimals, supply } = token
        return { amm_token_program: ammTokenProgram, decimals, supply: String(supply) }
      },
    },
  },
  'configuration.program': {
    state: {
      key: '`current`',
      size: () => 1,
      read({ configuration }, key, wire) {
        if (key !== 'current') return undefined
        const { paused, poolCreation, allowlistEnabled } = configuration
        const revision = wire.revision(configuration.revision)
        return { revision, paused, pool_creation: poolCreation, allowlist_enabled: allowlistEnabled }
      },
    },
    fee_tiers: {
      key: 'a fee in hundredths of a basis point',
      size: ({ configuration }) => configuration.feeTiers.length,
      read({ configuration }, key) {
        const tier = configuration.feeTiers.find(({ feePips }) => String(feePips) === key)
        return tier && { tick_spacing: tier.tickSpacing, transaction: tier.transaction }
      },
    },
  },
  'faucet.program': {
    grants: {
      key: 'the id of a token',
      size: ({ faucet }) => faucet.grants?.length ?? 0,
      read({ faucet }, key, { tokenId }) {
        const id = tokenId.decode(key)
        const grant = faucet.grants?.find((candidate) => candidate.tokenId === id)
        return grant && { amount: String(grant.amount) }
      },
    },
    last_claims: {
      key: 'an address',
      size: ({ faucet }) => faucet.lastClaimMs.size,
      read({ faucet }, key, { address, timestamp }) {
        const atMs = faucet.lastClaimMs.get(address.decode(key) ?? '')
        return atMs === undefined ? undefined : { claimed_at: timestamp(atMs) }
      },
    },
  },
}
