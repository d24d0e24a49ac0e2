import { z } from 'zod'
import { drawLatencyMs, faultKind, latencySchema } from '../fault-kind.ts'
import {
  clientsWhereSchema,
  isRefreshDone,
  matchesAny,
  matchesRequest,
  restWhereSchema,
} from '../when-and-where.ts'

/** Those that come with the same cookie meanwhile have lost, and do not know yet what the winner got. */
export const refreshWindow = faultKind({
  name: 'refresh-window',
  summary:
    'Holds the answer to a refresh back, once that has replaced the refresh token: others have time to come with the old one and lose.',
  options: z.strictObject({ where: clientsWhereSchema, latency: latencySchema }),
  start({ where, latency }, { decides, stream }) {
    return {
      answer: (seen) =>
        isRefreshDone(where, seen) && decides(seen.ref)
          ? { do: 'delay', ms: drawLatencyMs(latency, stream) }
          : undefined,
    }
  },
})

/** The client holds a refresh token that is used up, and does not know. */
export const refreshLost = faultKind({
  name: 'refresh-lost',
  summary: 'Loses the answer to a refresh that was done: the client never gets its new cookies.',
  options: z.strictObject({
    where: clientsWhereSchema,
    by: z
      .enum(['reset', 'hang'])
      .default('reset')
      .describe('The connection is cut, or stays open without an answer'),
  }),
  start({ where, by }, { decides }) {
    return {
      answer: (seen) => (isRefreshDone(where, seen) && decides(seen.ref) ? { do: by } : undefined),
    }
  },
})

export const earlyExpiry = faultKind({
  name: 'early-expiry',
  summary:
    'Ends access sessions or tickets earlier than they are told to end: what is given from here on. A socket ends with its ticket.',
  breaks: 'An access session lasts 15 minutes and a ticket 60 seconds (Limits).',
  options: z.strictObject({
    what: z.enum(['access-session', 'ticket']),
    livesMs: z.int().min(0).max(3_600_000).describe('How long after it is given it ends'),
    where: z
      .strictObject({ addresses: z.array(z.string().min(1).max(200)).min(1).max(100).optional() })
      .prefault({})
      .describe('Wallets, as the exchange writes them; `*` stands for any text'),
  }),
  start({ what, livesMs, where: { addresses } }, { decides }) {
    return {
      lifetime: (seen) =>
        seen.what === what && (!addresses || matchesAny(addresses, seen.address)) && decides(seen.address)
          ? { livesMs }
          : undefined,
    }
  },
})

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

const DAY_MS = 24 * 60 * 60 * 1000

export const clockSkew = faultKind({
  name: 'clock-skew',
  summary:
    'Tells times by a clock that is wrong: the `Date` header, when access sessions and tickets end, and a `Retry-After` that is a date.',
  options: z.strictObject({
    where: restWhereSchema,
    skewMs: z.int().min(-DAY_MS).max(DAY_MS).describe('How far it is ahead; below 0, behind'),
  }),
  start({ where, skewMs }, { decides }) {
    return {
      request: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref) ? { do: 'skew', ms: skewMs } : undefined,
    }
  },
})
