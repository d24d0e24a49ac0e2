import { PROTOCOL_FEES } from '../amm/fees.ts'
import { pairKey } from '../chain/pair.ts'
import type { ChainState } from '../chain/state.ts'
import type { ConfigChange, Transaction } from '../chain/transaction.ts'
import { pickByWeight, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import type { People } from './people.ts'

export type GovernanceMemory = {
  /** Temporary changes to revert, oldest first. */
  inForce: { change: ConfigChange; untilHeight: number }[]
  /** Launched tokens not yet on the allowlist, oldest first. */
  unlisted: string[]
  /** The most recently frozen position; null once unfrozen. */
  frozen: string | null
}

export type Governing = {
  state: ChainState
  memory: GovernanceMemory
  people: People
  fixture: WorldFixture
  stream: RandomStream
}

/** Share of revisions that also freeze or unfreeze a position. */
const FREEZE_SHARE = 0.3
/** Bounds the list: every revision repeats all fee tiers. */
const FEE_TIERS_MAX = 32
const FEE_PIPS_MAX = 30_000
const TICK_SPACING_MAX = 400

/** Sends a revision when one is due: reverts a change that has lasted long enough, or makes a new one. */
export function govern(governing: Governing): readonly Transaction[] {
  const { state, people, fixture, stream } = governing
  const height = state.height + 1
  if (height === 0 || height % fixture.governance.everyBlocks !== 0) return []
  const sender = people.administrator
  const change = takeBack(governing, height) ?? make(governing, height)
  return [
    { kind: 'changeConfig', sender, change },
    ...collectFees(state, sender),
    ...(stream.float() < FREEZE_SHARE ? freeze(governing, sender) : []),
  ]
}

/** Every change is a toggle, so reverting repeats it, unless it has been reverted already. */
function takeBack({ state, memory }: Governing, height: number): ConfigChange | undefined {
  while ((memory.inForce[0]?.untilHeight ?? Number.POSITIVE_INFINITY) <= height) {
    const due = memory.inForce.shift()
    if (due && isInForce(state, due.change)) return due.change
  }
  return undefined
}

function isInForce({ pausedPairs, pools, configuration }: ChainState, { scope, key }: ConfigChange): boolean {
  if (scope === 'pause') return pools.get(key)?.enabled === false || pausedPairs.has(key)
  if (scope === 'allowlist') return configuration.allowlistEnabled
  return configuration.poolCreation === 'gated'
}

type Kind = keyof WorldFixture['governance']['weights']

function make(governing: Governing, height: number): ConfigChange {
  const { governance } = governing.fixture
  const kinds = Object.entries(governance.weights).map(([kind, weight]) => ({ kind: kind as Kind, weight })) // as: its keys
  const { kind } = pickByWeight(kinds, governing.stream)
  const change = CHANGES[kind](governing)
  if (change === undefined) return CHANGES.announceTier(governing)
  if (TAKEN_BACK.has(kind))
    governing.memory.inForce.push({ change, untilHeight: height + governance.holdBlocks })
  return change
}

const TAKEN_BACK: ReadonlySet<Kind> = new Set([
  'pausePair',
  'disablePool',
  'enableAllowlist',
  'gatePoolCreation',
])

type Announcement = { announceTier: (governing: Governing) => ConfigChange }

/** Returns undefined if the change would have no effect now. */
const CHANGES: Announcement & Record<Kind, (governing: Governing) => ConfigChange | undefined> = {
  /** Raises the revision only: the tier exists already. */
  announceTier({ fixture, stream }) {
    const { feePips, tickSpacing } = stream.pick(fixture.feeTiers)
    return { scope: 'fee_tiers', key: `${feePips}/${tickSpacing}` }
  },
  addTier({ state, stream }) {
    const { feeTiers } = state.configuration
    const feePips = stream.int(1, FEE_PIPS_MAX)
    if (feeTiers.length >= FEE_TIERS_MAX || feeTiers.some((tier) => tier.feePips === feePips))
      return undefined
    return { scope: 'fee_tiers', key: `${feePips}/${stream.int(1, TICK_SPACING_MAX)}` }
  },
  listToken({ state, memory }) {
    for (let id = memory.unlisted.shift(); id !== undefined; id = memory.unlisted.shift())
      if (state.tokens.has(id) && !state.allowlist.tokens.has(id)) return { scope: 'allowlist', key: id }
    return undefined
  },
  pausePair({ state, stream }) {
    const pool = state.poolKeys.length === 0 ? undefined : state.pools.get(stream.pick(state.poolKeys))
    if (!pool) return undefined
    const key = pairKey(pool.token0, pool.token1)
    return state.pausedPairs.has(key) ? undefined : { scope: 'pause', key }
  },
  disablePool({ state, stream }) {
    const pool = state.poolKeys.length === 0 ? undefined : state.pools.get(stream.pick(state.poolKeys))
    return pool?.enabled ? { scope: 'pause', key: pool.key } : undefined
  },
  enableAllowlist: ({ state }) =>
    state.configuration.allowlistEnabled ? undefined : { scope: 'allowlist', key: 'enabled' },
  gatePoolCreation: ({ state }) =>
    state.configuration.poolCreation === 'gated' ? undefined : { scope: 'pool_creation', key: 'gated' },
  setProtocolFee({ state, stream }) {
    const pool = state.poolKeys.length === 0 ? undefined : state.pools.get(stream.pick(state.poolKeys))
    if (!pool) return undefined
    const [part0, part1] = [stream.pick(PROTOCOL_FEES), stream.pick(PROTOCOL_FEES)]
    const isSet = pool.amm.feeProtocol0 === part0 && pool.amm.feeProtocol1 === part1
    return isSet ? undefined : { scope: 'protocol_fee', key: `${pool.key}/${part0}/${part1}` }
  },
}

function collectFees({ pools }: ChainState, sender: string): readonly Transaction[] {
  return [...pools.values()]
    .filter(({ amm }) => amm.protocolFees0 > 1n || amm.protocolFees1 > 1n)
    .map(({ key, amm }) => ({
      kind: 'collectProtocol',
      sender,
      pool: key,
      recipient: sender,
      amount0Max: amm.protocolFees0,
      amount1Max: amm.protocolFees1,
    }))
}

/** Unfreezes the frozen position, if any; otherwise freezes one of a random provider. */
function freeze({ state, memory, people, stream }: Governing, sender: string): readonly Transaction[] {
  const frozen = memory.frozen === null ? undefined : state.positions.get(memory.frozen)
  memory.frozen = null
  if (frozen && frozen.frozenAtMs !== null) return [{ kind: 'unfreezePosition', sender, position: frozen.id }]
  const owned = [...(state.positionsByOwner.get(stream.pick(people.providers)) ?? [])]
  if (owned.length === 0) return []
  const position = stream.pick(owned)
  if (state.positions.get(position)?.frozenAtMs !== null) return []
  memory.frozen = position
  return [{ kind: 'freezePosition', sender, position }]
}
