import type { ArbitrageMemory } from './arbitrageur.ts'
import type { GovernanceMemory } from './governor.ts'
import type { Market } from './market.ts'

/** All that agents remember from block to block: plain data, so that a snapshot is a copy. */
export type AgentsState = {
  market: Market
  arbitrage: ArbitrageMemory
  governance: GovernanceMemory
}
