import type { ObserverRule } from '../observer-rule.ts'
import { createRepeats } from '../repeats.ts'

/** Some programs may hold the same credential, and each has to learn it. */
const AGAIN_MAX = 4

export const unauthorizedReplaces: ObserverRule = {
  id: 'client.401.replaces',
  advice:
    'After a 401 refresh the session, sign in again or take another API token; do not send the old one any more.',
  watch({ saw, accuse }) {
    const repeats = createRepeats({ quietMs: Number.POSITIVE_INFINITY })
    return {
      answered(request) {
        const { client, refusedDigest, remoteAddress, userAgent } = request
        if (refusedDigest === null) return
        saw()
        const key = `${refusedDigest} ${remoteAddress} ${userAgent}`
        const { again, entries } = repeats.count(key, request)
        if (again <= AGAIN_MAX) return
        repeats.forget(key)
        accuse(client, {
          observed: `a credential that was refused with 401 came ${again} more times, each after the answer before`,
          evidence: entries,
        })
      },
    }
  },
}
