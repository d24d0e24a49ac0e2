import { addMember, type Journal, rememberMembers, setFields } from '../../undo-log.ts'
import { pairFromKey } from '../pair.ts'
import { Refusal } from '../refusal.ts'
import type { ChainState, Program, ProgramContext } from '../state.ts'
import type { ChainEvent, ConfigScope, Configuration } from '../transaction.ts'
import { changeProtocolFee } from './pools.ts'

/** UniswapV3Factory.enableFeeAmount: fees below 100%, spacings within the bitmap's bounds. */
const FEE_PIPS_MAX = 999_999
const TICK_SPACING_MAX = 16_383

/** Only the administrator changes the configuration. Each change raises the revision, even one without other effect. */
export const changeConfig: Program<'changeConfig'> = (state, { sender, change }, context) => {
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  const { configuration, events } = SCOPES[change.scope](state, change.key, context)
  const changed = { ...configuration, revision: state.configuration.revision + 1 }
  setFields(state.journal, state, { configuration: changed })
  return [{ kind: 'configChanged', configuration: changed, changes: [change] }, ...events]
}

type Changed = { configuration: Configuration; events: readonly ChainEvent[] }

/** Meaning of a key in each scope; a pair is two token ids with a slash between. */
const SCOPES: Record<ConfigScope, (state: ChainState, key: string, context: ProgramContext) => Changed> = {
  /** `FEE/SPACING` adds that tier; any other key only raises the revision. */
  fee_tiers(state, key, { transactionId, timeMs }) {
    const { configuration } = state
    const [feePips, tickSpacing] = (/^[1-9]\d*\/[1-9]\d*$/.test(key) ? key.split('/') : []).map(Number)
    const known = configuration.feeTiers.some((tier) => tier.feePips === feePips)
    if (known || !isWithin(feePips, FEE_PIPS_MAX) || !isWithin(tickSpacing, TICK_SPACING_MAX))
      return { configuration, events: [] }
    const tier = { feePips, tickSpacing, createdAtMs: timeMs, transaction: transactionId }
    return { configuration: { ...configuration, feeTiers: [...configuration.feeTiers, tier] }, events: [] }
  },
  /** A pool's key disables or enables that pool, a pair pauses or resumes it; any other key pauses or resumes all trading. */
  pause(state, key) {
    const { configuration } = state
    const pool = state.pools.get(key)
    const pair = pairFromKey(key)
    if (pool) {
      setFields(state.journal, pool, { enabled: !pool.enabled })
      return { configuration, events: [{ kind: 'poolEnabled', pool: key, enabled: pool.enabled }] }
    }
    if (pair !== undefined) {
      const paused = toggle(state.journal, state.pausedPairs, pair)
      return { configuration, events: [{ kind: 'pairPaused', pair, paused }] }
    }
    return { configuration: { ...configuration, paused: !configuration.paused }, events: [] }
  },
  /** `enabled` turns the list on or off; a token or a pair is added or removed; any other key only raises the revision. */
  allowlist(state, key) {
    const { configuration, allowlist } = state
    const pair = pairFromKey(key)
    if (key === 'enabled') {
      const allowlistEnabled = !configuration.allowlistEnabled
      return { configuration: { ...configuration, allowlistEnabled }, events: [] }
    }
    if (state.tokens.has(key)) {
      const listed = toggle(state.journal, allowlist.tokens, key)
      return { configuration, events: [{ kind: 'tokenListed', tokenId: key, listed }] }
    }
    if (pair !== undefined) {
      const listed = toggle(state.journal, allowlist.pairs, pair)
      return { configuration, events: [{ kind: 'pairListed', pair, listed }] }
    }
    return { configuration, events: [] }
  },
  /** Opens pool creation to everyone, or reserves it to the administrator. */
  pool_creation({ configuration }) {
    const poolCreation = configuration.poolCreation === 'open' ? 'gated' : 'open'
    return { configuration: { ...configuration, poolCreation }, events: [] }
  },
  /** `POOL/PART0/PART1` sets the protocol's share of a pool's fees; any other key only raises the revision. */
  protocol_fee: (state, key) => ({
    configuration: state.configuration,
    events: changeProtocolFee(state, key),
  }),
}

function toggle(journal: Journal, set: Set<string>, item: string): boolean {
  if (set.has(item)) {
    rememberMembers(journal, set)
    set.delete(item)
    return false
  }
  addMember(journal, set, item)
  return true
}

function isWithin(value: number | undefined, max: number): value is number {
  return value !== undefined && Number.isInteger(value) && value > 0 && value <= max
}
