import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { createEarlyRetries } from '../early-retries.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'
import { minimumRevisionOf, pathOf } from '../url-parts.ts'

const RETRY_MS = 30_000

export const configRetriesPending: ObserverRule = {
  id: 'client.config.retries-pending',
  advice: 'Wait for as long as Retry-After says, then send the request again, until the revision is there.',
  watch({ after, kin, saw, accuse }) {
    const early = createEarlyRetries()
    const retryOf = ofEach<Client, { deadline: Deadline | null }>(() => ({ deadline: null }))
    return {
      answered(request) {
        const { client, code, url, answeredMs, retryAfterMs, entry } = request
        if (code !== 'protocol_revision_pending' || retryAfterMs === null) return
        saw()
        const waits = early.refused(request)
        if (waits)
          accuse(client, {
            observed: `asked for ${shown(url)} again before Retry-After was over, ${waits.length - 1} times in a row`,
            evidence: waits,
          })
        const path = pathOf(url)
        // One deadline for each client, whatever it does in a loop: the last answer is what it has to go on from.
        const waiting = retryOf(client)
        waiting.deadline?.cancel()
        waiting.deadline = after(client, retryAfterMs + RETRY_MS, () => {
          const all = kin(client)
          const hasRetried = all.some(
            ({ reads }) => (reads.get(path) ?? Number.NEGATIVE_INFINITY) > answeredMs,
          )
          // Who has no socket open may have ended.
          if (hasRetried || !all.some(({ openSockets }) => openSockets > 0)) return
          accuse(client, {
            observed: `asked for ${shown(url)}, which was pending, and not again within ${RETRY_MS / 1000} s after Retry-After`,
            evidence: [entry],
          })
        })
      },
    }
  },
}

/** Whatever else stood in the query is nobody’s to see. */
function shown(url: string): string {
  return `${pathOf(url)}?minimum_revision=${minimumRevisionOf(url)}`
}
