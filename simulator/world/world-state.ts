import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { AgentsState } from '../agents/agents.ts'
import type { Block } from '../chain/block.ts'
import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { IndexState } from '../indexer/index-state.ts'
import { type Journal, retarget } from '../undo-log.ts'

/** When blocks are mined: every interval, one for each submitted transaction, or never. */
export type Mining = { mode: 'interval'; intervalMs: number } | { mode: 'on-demand' } | { mode: 'paused' }

/** Lag of readers: a block is indexed once the chain's head, or the clock, is that much further. */
export type Lag = { blocks: number } | { ms: number }

/** Contents of a block: transactions submitted from outside, then the agents'. */
export type MinedBlock = {
  timeMs: number
  submitted: readonly Transaction[]
  drawn: readonly Transaction[]
}

/** Everything that determines the future, except the clock and the random streams: plain data, in one graph. */
export type WorldState = {
  chain: ChainState
  index: IndexState
  agents: AgentsState
  mempool: Transaction[]
  /** The last blocks, oldest first: as many as a reorg can take back. */
  recent: MinedBlock[]
  /** Mined and not yet indexed, oldest first. */
  waiting: Block[]
  /** Suspends indexing, whatever the lag. */
  held: boolean
  lag: Lag
  mining: Mining
  /** Due time of the clock's next block; null: not scheduled. */
  nextBlockAtMs: number | null
  /** Reverted indexed blocks that readers have not been notified of. */
  reorged: number
}

/** Replaces a world's contents in place: others hold references to chain, index and agents. */
export function putInPlace(live: WorldState, saved: WorldState): void {
  const { chain, index, agents, ...rest } = saved
  replaceContents(live.chain, chain)
  replaceContents(live.index, index)
  retarget(live.index.journal, index, live.index)
  replaceContents(live.agents, agents)
  Object.assign(live, rest)
}

function replaceContents<Target extends object & { journal?: Journal }>(
  target: Target,
  contents: Target,
): void {
  for (const key of Object.keys(target)) if (!(key in contents)) delete target[key as keyof Target] // as: its own key
  Object.assign(target, contents)
  if (target.journal) retarget(target.journal, contents, target)
}

type WorldErrorCode =
  | 'argument_invalid'
  | 'snapshot_unknown'
  | 'snapshots_full'
  | 'reorg_too_deep'
  | 'dump_foreign'
  | 'dump_version'
  | 'dump_damaged'

/** Rejects an operation on a world; nothing has changed. */
export class WorldError extends BreakwaterError {
  readonly code: WorldErrorCode

  constructor(code: WorldErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options)
    this.name = 'WorldError'
    this.code = code
  }
}

type Bounds = { min: number; max: number }

const DAY_MS = 86_400_000
const WHATEVER = Number.MAX_SAFE_INTEGER

/** Valid arguments: whole numbers, both ends inclusive. */
export const BOUNDS = {
  intervalMs: { min: 1, max: DAY_MS },
  lagBlocks: { min: 0, max: 1000 },
  lagMs: { min: 0, max: DAY_MS },
  blocks: { min: 0, max: WHATEVER },
  /** Depth of a reorg; the number of existing blocks is checked separately. */
  depth: { min: 1, max: WHATEVER },
  advanceMs: { min: 0, max: WHATEVER },
} satisfies Record<string, Bounds>

export function requireWithin(name: keyof typeof BOUNDS, value: number): void {
  const { min, max } = BOUNDS[name]
  if (Number.isInteger(value) && value >= min && value <= max) return
  const most = max === WHATEVER ? '' : ` and at most ${max}`
  throw new WorldError(
    'argument_invalid',
    `${name}: expected a whole number of at least ${min}${most}, got ${value}`,
    { hint: 'Blocks and milliseconds of the clock are whole numbers.' },
  )
}

export function requireLag(lag: Lag): void {
  if ('ms' in lag) requireWithin('lagMs', lag.ms)
  else requireWithin('lagBlocks', lag.blocks)
}

export function requireMining(mining: Mining): void {
  if (mining.mode === 'interval') requireWithin('intervalMs', mining.intervalMs)
}
