import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { AgentsState } from '../agents/agents.ts'
import type { Block } from '../chain/block.ts'
import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { IndexState } from '../indexer/index-state.ts'
import { type Journal, retarget } from '../undo-log.ts'

/** When blocks come of themselves: each interval, one for each transaction submitted, or never. */
export type Mining = { mode: 'interval'; intervalMs: number } | { mode: 'on-demand' } | { mode: 'paused' }

/** How far readers are behind: a block is indexed once the chain's head, or the clock, is so much further. */
export type Lag = { blocks: number } | { ms: number }

/** What a block was made of: transactions submitted from outside, then those that the agents drew. */
export type MinedBlock = {
  timeMs: number
  submitted: readonly Transaction[]
  drawn: readonly Transaction[]
}

/** Everything that decides what comes next, but for the clock and the random streams: plain data, in one graph. */
export type WorldState = {
  chain: ChainState
  index: IndexState
  agents: AgentsState
  /** Submitted, for the next block. */
  mempool: Transaction[]
  /** The last blocks, oldest first: as many as can be taken back. */
  recent: MinedBlock[]
  /** Mined and not yet indexed, oldest first. */
  waiting: Block[]
  /** Nothing is indexed, whatever the lag. */
  held: boolean
  lag: Lag
  mining: Mining
  /** When the clock mines next; null while it does not. */
  nextBlockAtMs: number | null
  /** Indexed blocks taken back that readers have not been told of. */
  reorged: number
}

/** Puts saved contents in the place of a world's: chain, index and agents are held by others, and stay the same objects. */
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

/** Why a world does not do what it is told; nothing has changed. */
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

/** What a world takes: whole numbers, both ends included. */
export const BOUNDS = {
  intervalMs: { min: 1, max: DAY_MS },
  lagBlocks: { min: 0, max: 1000 },
  lagMs: { min: 0, max: DAY_MS },
  /** To be mined. */
  blocks: { min: 0, max: WHATEVER },
  /** Of a reorg; how many blocks there are is another matter. */
  depth: { min: 1, max: WHATEVER },
  /** That the clock is moved on by. */
  advanceMs: { min: 0, max: WHATEVER },
} satisfies Record<string, Bounds>

/** Throws WorldError argument_invalid. */
export function requireWithin(name: keyof typeof BOUNDS, value: number): void {
  const { min, max } = BOUNDS[name]
  if (Number.isInteger(value) && value >= min && value <= max) return
  const most = max === WHATEVER ? '' : ` and at most ${max}`
  throw new WorldError(
    'argument_invalid',
    `${name}: expected a whole number of at least ${min}${most}, got ${value}`,
    { hint: 'Blocks are counted whole, and so are the milliseconds of the clock.' },
  )
}

/** Throws WorldError argument_invalid. */
export function requireLag(lag: Lag): void {
  if ('ms' in lag) requireWithin('lagMs', lag.ms)
  else requireWithin('lagBlocks', lag.blocks)
}

/** Throws WorldError argument_invalid. */
export function requireMining(mining: Mining): void {
  if (mining.mode === 'interval') requireWithin('intervalMs', mining.intervalMs)
}
