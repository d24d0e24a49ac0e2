import type { ChainState } from '../chain/state.ts'
import type { Wire } from '../choices/wire.ts'

/** A mapping of a program: what it keeps, by key. Ids come and go as they stand on the wire. */
export type Mapping = {
  key: string
  size(state: ChainState): number
  /** undefined: there is no such key. Exact values are strings. */
  read(state: ChainState, key: string, wire: Ids): MappingValue | undefined
}

export type MappingValue = Readonly<Record<string, string | number | boolean>>

type Ids = Pick<Wire, 'tokenId' | 'poolKey' | 'address' | 'timestamp' | 'revision' | 'fee'>

/**
 * Every program and its mappings. What belongs to single wallets (balances, positions, outputs not yet claimed) is not
 * among them: some of it is private.
 */
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
