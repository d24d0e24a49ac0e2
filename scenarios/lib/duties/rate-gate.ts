import { CannotJudge } from '../verdict/cannot.ts'
import type { Tools } from './tools.ts'

/**
 * Where a client waits once it was told that it asks too much: the limit is the client's, not the request's, so whatever
 * else it is about to send waits too.
 */
export type RateGate = {
  isShut(): boolean
  /** For so long; a shorter wait takes nothing away from a longer one. */
  shut(ms: number): void
  /** Waits until it is open. Throws CannotJudge where that takes longer than anybody waits. */
  pass(): Promise<void>
}

const PASS_MS_MAX = 40_000
/** Those that waited do not pass all at once. */
const SPREAD_MS = 250

/** An open gate, for all requests of a client that share one limit. */
export function createRateGate({
  nowMs,
  random,
  pause,
}: Pick<Tools, 'nowMs' | 'random' | 'pause'>): RateGate {
  let untilMs = 0
  return {
    isShut: () => nowMs() < untilMs,
    shut(ms) {
      untilMs = Math.max(untilMs, nowMs() + ms)
    },
    async pass() {
      for (let leftMs = untilMs - nowMs(); leftMs > 0; leftMs = untilMs - nowMs()) {
        if (leftMs > PASS_MS_MAX)
          throw new CannotJudge(`told to send nothing for ${Math.ceil(leftMs / 1000)} s more`)
        await pause(leftMs + SPREAD_MS * random())
      }
    },
  }
}
