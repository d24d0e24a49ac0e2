import { WorldError } from './world-error.ts'
import type { Lag, Mining } from './world-state.ts'

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
