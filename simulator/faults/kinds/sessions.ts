import { z } from 'zod'
import { drawLatencyMs, drawsLatency, faultKind, latencySchema } from '../fault-kind.ts'
import {
  clientsWhereSchema,
  isRefreshDone,
  matchesAny,
  matchesRequest,
  restWhereSchema,
} from '../when-and-where.ts'

/** Other requests with the same cookie lose in that time and do not have the winner's cookies yet. */
export const refreshWindow = faultKind({
  name: 'refresh-window',
  summary:
    'Delays the response to a refresh after the refresh token was replaced: others that send the old token in that time lose.',
  options: z.strictObject({ where: clientsWhereSchema, latency: latencySchema }),
  draws: drawsLatency,
  start({ where, latency }, { decides, draw }) {
    return {
      response: (context) =>
        isRefreshDone(where, context) && decides(context.ref)
          ? { do: 'delay', ms: drawLatencyMs(latency, draw) }
          : undefined,
    }
  },
})

/** The client keeps a used refresh token without knowing it. */
export const refreshLost = faultKind({
  name: 'refresh-lost',
  summary: 'Loses the response to a successful refresh: the client never gets its new cookies.',
  options: z.strictObject({
    where: clientsWhereSchema,
    by: z
      .enum(['reset', 'hang'])
      .default('reset')
      .describe('Cut the connection (`reset`), or keep it open without a response (`hang`)'),
  }),
  start({ where, by }, { decides }) {
    return {
      response: (context) => (isRefreshDone(where, context) && decides(context.ref) ? { do: by } : undefined),
    }
  },
})

export const earlyExpiry = faultKind({
  name: 'early-expiry',
  summary: 'Expires new access sessions or tickets earlier than reported. A socket ends with its ticket.',
  breaks: 'An access session lasts 15 minutes and a ticket 60 seconds (Limits).',
  options: z.strictObject({
    what: z.enum(['access-session', 'ticket']),
    livesMs: z.int().min(0).max(3_600_000).describe('Lifetime'),
    where: z
      .strictObject({ addresses: z.array(z.string().min(1).max(200)).min(1).max(100).optional() })
      .prefault({})
      .describe('Wallets, as the exchange writes them; `*` matches any text'),
  }),
  start({ what, livesMs, where: { addresses } }, { decides }) {
    return {
      lifetime: (context) =>
        context.what === what &&
        (!addresses || matchesAny(addresses, context.address)) &&
        decides(context.address)
          ? { livesMs }
          : undefined,
    }
  },
})

/**
 * A wallet loses a permission in mid-session. The session stays: requests that need the permission return 401 or 403.
 */
export const permissionRevoked = faultKind({
  name: 'permission-revoked',
  summary:
    'Takes a permission from wallets while their sessions and sockets continue: access (403), acceptance of the terms of use (403 until they sign in again, as if the terms were revised), or API tokens (401, as if revoked).',
  options: z.strictObject({
    what: z.enum(['access', 'terms', 'api-token']),
    where: z
      .strictObject({ addresses: z.array(z.string().min(1).max(200)).min(1).max(100).optional() })
      .prefault({})
      .describe('Wallets, as the exchange writes them; `*` matches any text'),
  }),
  start({ what, where: { addresses } }, { clock, decides, during }) {
    let beganMs = Number.NEGATIVE_INFINITY
    during({
      begin() {
        beganMs = clock.nowMs()
      },
    })
    return {
      permission(context) {
        if (context.what !== what || (addresses && !matchesAny(addresses, context.address))) return undefined
        // Only permissions from before the start are lost.
        const isOlder = context.sinceMs === null || context.sinceMs <= beganMs
        return isOlder && decides(context.address) ? 'lost' : undefined
      },
    }
  },
})

const DAY_MS = 24 * 60 * 60 * 1000

export const clockSkew = faultKind({
  name: 'clock-skew',
  summary:
    'Uses a wrong clock for reported times: the `Date` header, the expiry of access sessions and tickets, and `Retry-After` dates.',
  options: z.strictObject({
    where: restWhereSchema,
    skewMs: z.int().min(-DAY_MS).max(DAY_MS).describe('How far the clock is ahead; negative: behind'),
  }),
  start({ where, skewMs }, { decides }) {
    return {
      request: (context) =>
        matchesRequest(where, context) && decides(context.ref) ? { do: 'skew', ms: skewMs } : undefined,
    }
  },
})
