import { BoundedMap } from './bounded-map.ts'
import type { ObservedRequest } from './observed.ts'
import { sameRequest } from './same-request.ts'

/** A request that arrives so soon after an answer may have been on its way. */
const ON_THE_WAY_MS = 100
/** Clocks of clients are not that exact. */
const EARLY_MS = 50
/** Of one request at a time: a client that waits has one, and two programs that cannot tell each other have two. */
const WAITS_MAX = 2
const REQUESTS_MAX = 200

type Wait = { answeredMs: number; untilMs: number; entry: number }

export type EarlyRetries = {
  /**
   * Given each refusal that asks to wait: the entries of those waits that it broke into, its own last; undefined where it
   * may be somebody who had not been told.
   */
  refused(request: ObservedRequest): number[] | undefined
}

/** No request seen yet. */
export function createEarlyRetries(): EarlyRetries {
  const byRequest = new BoundedMap<string, Wait[]>(REQUESTS_MAX)
  return {
    refused(request) {
      const { arrivedMs, answeredMs, retryAfterMs, entry } = request
      if (retryAfterMs === null) return undefined
      const key = sameRequest(request)
      const waits = (byRequest.get(key) ?? []).filter(({ untilMs }) => untilMs - EARLY_MS > arrivedMs)
      const last = waits.at(-1)
      // Of those that were under way together one counts.
      if (!last || arrivedMs >= last.answeredMs + ON_THE_WAY_MS)
        waits.push({ answeredMs, untilMs: answeredMs + retryAfterMs, entry })
      byRequest.set(key, waits)
      if (waits.length <= WAITS_MAX) return undefined
      byRequest.delete(key)
      return waits.map((wait) => wait.entry)
    },
  }
}
