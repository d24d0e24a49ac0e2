import { createEarlyRetries } from '../early-retries.ts'
import type { ObserverRule } from '../observer-rule.ts'

export const tooManyWaits: ObserverRule = {
  id: 'client.429.waits',
  advice: 'Wait for as long as Retry-After says before the same request is sent again.',
  watch({ saw, accuse }) {
    const early = createEarlyRetries()
    return {
      answered(request) {
        if (request.status !== 429) return
        saw()
        const waits = early.refused(request)
        if (!waits) return
        accuse(request.client, {
          observed: `${request.method} ${request.route ?? '(no route)'} came again before Retry-After was over, ${waits.length - 1} times in a row`,
          evidence: waits,
        })
      },
    }
  },
}
