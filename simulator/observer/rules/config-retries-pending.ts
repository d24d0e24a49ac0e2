import { createEarlyRetries } from '../early-retries.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { pathOf } from '../url-parts.ts'

const RETRY_MS = 30_000

export const configRetriesPending: ObserverRule = {
  id: 'client.config.retries-pending',
  advice: 'Wait for as long as Retry-After says, then send the request again, until the revision is there.',
  watch({ after, kin, saw, accuse }) {
    const early = createEarlyRetries()
    return {
      answered(request) {
        const { client, code, url, answeredMs, retryAfterMs, entry } = request
        if (code !== 'protocol_revision_pending' || retryAfterMs === null) return
        saw()
        const waits = early.refused(request)
        if (waits)
          accuse(client, {
            observed: `asked for ${url} again before Retry-After was over, ${waits.length - 1} times in a row`,
            evidence: waits,
          })
        const path = pathOf(url)
        after(client, retryAfterMs + RETRY_MS, () => {
          const all = kin(client)
          const hasRetried = all.some(
            ({ reads }) => (reads.get(path) ?? Number.NEGATIVE_INFINITY) > answeredMs,
          )
          // Who has no socket open may have ended.
          if (hasRetried || !all.some(({ openSockets }) => openSockets > 0)) return
          accuse(client, {
            observed: `asked for ${url}, which was pending, and not again within ${RETRY_MS / 1000} s after Retry-After`,
            evidence: [entry],
          })
        })
      },
    }
  },
}
