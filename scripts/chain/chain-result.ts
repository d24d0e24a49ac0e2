import type { Tally } from './tally.ts'

/** Where a world stands, and the time there. */
export type Standing = { height: number; time: string }

export type ChainResult = Standing & {
  /** Null where it was loaded. */
  world: string | null
  loaded: string | null
  seed: number
  /** Before the first block that was mined now. */
  start: Standing & { tookMs: number }
  pools: number
  revision: number
  /** In the blocks mined now: neither in the history nor in what was loaded. */
  happened: Tally
  blocksPerSecond: number | null
  swapsPerSecond: number | null
  invariants: { invariants: number; blocksChecked: number } | null
  events: { file: string; lines: number } | null
  dump: { file: string; bytes: number } | null
  eventsSha256: string
}
