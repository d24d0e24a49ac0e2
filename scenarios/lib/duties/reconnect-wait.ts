import { backoffMs } from './retry-wait.ts'

const BASE_MS = 1000
const CAP_MS = 30_000
/** A connection that lasted for less was none: open, close, open, close is a loop too. */
const STABLE_MS = 10_000

/** How long to wait before each reconnect: the ceiling doubles until a connection lasted. */
export function createReconnectWait({ random }: { random: () => number }): (servedMs: number) => number {
  let attempt = 0
  return (servedMs) => {
    if (servedMs >= STABLE_MS) attempt = 0
    return backoffMs({ attempt: attempt++, random, baseMs: BASE_MS, capMs: CAP_MS })
  }
}
