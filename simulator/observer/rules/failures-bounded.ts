import { BoundedMap } from '../bounded-map.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { sameRequest } from '../same-request.ts'

const FAILURES_MAX = 30
/** What comes more slowly may be read regularly, whether it succeeds or not. */
const APART_MS = 500
const REQUESTS_MAX = 200

type Run = { count: number; firstMs: number; answeredMs: number; entries: number[] }

export const failuresBounded: ObserverRule = {
  id: 'client.5xx.bounded',
  advice: 'Give up after some attempts, and tell the user; or let the waits grow up to a long one.',
  watch({ saw, accuse }) {
    const runs = new BoundedMap<string, Run>(REQUESTS_MAX)
    return {
      answered(request) {
        const isFailure = request.status >= 500 && request.code !== 'protocol_revision_pending'
        if (!isFailure && runs.size === 0) return
        const key = sameRequest(request)
        if (!isFailure) return void runs.delete(key)
        saw()
        const { client, method, route, arrivedMs, answeredMs, entry } = request
        const run = runs.get(key)
        if (!run || arrivedMs - run.answeredMs > FAILURES_MAX * APART_MS) {
          runs.set(key, { count: 1, firstMs: answeredMs, answeredMs, entries: [entry] })
          return
        }
        // Those that are under way together are no retries of one another.
        if (arrivedMs < run.answeredMs) return
        run.count++
        run.answeredMs = answeredMs
        run.entries = [...run.entries.slice(0, 3), entry]
        if (run.count < FAILURES_MAX || (answeredMs - run.firstMs) / (run.count - 1) >= APART_MS) return
        runs.delete(key)
        accuse(client, {
          observed: `${method} ${route ?? '(no route)'} was answered with 5xx ${run.count} times in a row, within ${Math.round(answeredMs - run.firstMs)} ms`,
          evidence: run.entries,
        })
      },
    }
  },
}
