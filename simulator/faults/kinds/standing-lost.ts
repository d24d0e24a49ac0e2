import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesAny } from '../where.ts'

/** A wallet loses in mid-session what its requests rest on. Sessions stay: requests that need it answer 401 or 403. */
export const standingLost = faultKind({
  name: 'standing-lost',
  summary:
    'Takes from wallets, while sessions and sockets go on, what they had until then: access (403), their acceptance of the terms of use (403 until they sign in again, as the terms were revised), or their API tokens (401, as if revoked).',
  options: z.strictObject({
    what: z.enum(['access', 'terms', 'api-token']),
    where: z
      .strictObject({ addresses: z.array(z.string().min(1).max(200)).min(1).max(100).optional() })
      .prefault({})
      .describe('Wallets, as the exchange writes them; `*` stands for any text'),
  }),
  start({ what, where: { addresses } }, { clock, decides, during }) {
    let beganMs = Number.NEGATIVE_INFINITY
    during({
      begin() {
        beganMs = clock.nowMs()
      },
    })
    return {
      standing(seen) {
        if (seen.what !== what || (addresses && !matchesAny(addresses, seen.address))) return undefined
        // What was accepted or created since is not lost with what was there before.
        const isOlder = seen.sinceMs === null || seen.sinceMs <= beganMs
        return isOlder && decides(seen.address) ? 'lost' : undefined
      },
    }
  },
})
