import type { ObserverRule } from '../observer-rule.ts'
import { createRepeats } from '../repeats.ts'

/** Pages that a person loads again count as well. */
const AGAIN_MAX = 5
const QUIET_MS = 30_000

export const forbiddenStops: ObserverRule = {
  id: 'client.403.stops',
  advice: 'After a 403 stop, and tell the user that the wallet needs access: asking again changes nothing.',
  watch({ saw, accuse }) {
    const repeats = createRepeats({ quietMs: QUIET_MS })
    return {
      answered(request) {
        const { client, code, credential, credentialId, remoteAddress, userAgent } = request
        if (code !== 'access_required' || credential === 'none') return
        saw()
        const key = `${credentialId ?? ''} ${remoteAddress} ${userAgent}`
        const { again, entries } = repeats.count(key, request)
        if (again <= AGAIN_MAX) return
        repeats.forget(key)
        accuse(client, {
          observed: `a wallet without access was refused with 403 ${again + 1} times, each after the answer before`,
          evidence: entries,
        })
      },
    }
  },
}
