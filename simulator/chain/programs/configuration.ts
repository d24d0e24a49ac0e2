import type { ChainEvent, Configuration } from '../event.ts'
import type { Program, ProgramContext } from '../program.ts'
import { Refusal } from '../refusal.ts'
import type { ChainState } from '../state.ts'
import type { ConfigChange } from '../transaction.ts'

/** Only the administrator changes the configuration. Each change raises the revision, even one that changes nothing else. */
export const changeConfig: Program<'changeConfig'> = (state, { sender, change }, context) => {
  if (sender !== state.administrator) throw new Refusal('not the administrator')
  const { configuration, events } = SCOPES[change.scope](state, change.key, context)
  state.configuration = { ...configuration, revision: state.configuration.revision + 1 }
  return [{ kind: 'configChanged', configuration: state.configuration, changes: [change] }, ...events]
}

type Changed = { configuration: Configuration; events: readonly ChainEvent[] }

/** What a key means in each scope. */
const SCOPES: Record<
  ConfigChange['scope'],
  (state: ChainState, key: string, context: ProgramContext) => Changed
> = {
  /** `FEE/SPACING` adds that tier; any other key only announces that the tier was looked at again. */
  fee_tiers(state, key, { transactionId, timeMs }) {
    const { configuration } = state
    const [feePips, tickSpacing] = key.split('/').map(Number)
    const known = configuration.feeTiers.some((tier) => tier.feePips === feePips)
    if (known || !isPositiveInteger(feePips) || !isPositiveInteger(tickSpacing))
      return { configuration, events: [] }
    const tier = { feePips, tickSpacing, createdAtMs: timeMs, transaction: transactionId }
    return { configuration: { ...configuration, feeTiers: [...configuration.feeTiers, tier] }, events: [] }
  },
  /** A pool's key disables or enables that pool; any other key pauses or resumes all trading. */
  pause(state, key) {
    const { configuration } = state
    const pool = state.pools.get(key)
    if (!pool) return { configuration: { ...configuration, paused: !configuration.paused }, events: [] }
    pool.enabled = !pool.enabled
    return { configuration, events: [{ kind: 'poolEnabled', pool: key, enabled: pool.enabled }] }
  },
  /** `enabled` turns the list on or off; any other key is an entry of the list, which holds every token. */
  allowlist({ configuration }, key) {
    const turned = key === 'enabled' ? !configuration.allowlistEnabled : configuration.allowlistEnabled
    return { configuration: { ...configuration, allowlistEnabled: turned }, events: [] }
  },
  /** Opens pool creation to all, or reserves it to the administrator. */
  pool_creation({ configuration }) {
    const poolCreation = configuration.poolCreation === 'open' ? 'gated' : 'open'
    return { configuration: { ...configuration, poolCreation }, events: [] }
  },
}

function isPositiveInteger(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0
}
