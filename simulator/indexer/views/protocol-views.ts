export type ConfigKeyChange = { scope: string; key: string }

export type ConfigChangeView = {
  revision: number
  observedBlock: number
  changes: readonly ConfigKeyChange[]
}

export type ProtocolStateView = {
  revision: number
  block: number
  paused: boolean
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  feeTiers: readonly { feePips: number; tickSpacing: number; createdAtMs: number; transaction: string }[]
}

export type FeeTierView = {
  id: string
  feePips: number
  tickSpacing: number
  createdAtMs: number
  transaction: string
}

/** Who may trade what. The list binds while it is enabled; pairs are two token ids, the lower first, with a slash between. */
export type ComplianceView = {
  paused: boolean
  pausedPairs: readonly string[]
  disabledPools: readonly string[]
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  allowedTokens: readonly string[]
  allowedPairs: readonly string[]
}
