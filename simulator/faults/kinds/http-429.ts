import { z } from 'zod'
import type { Timer } from '../../clock.ts'
import { createTokenBuckets } from '../../token-bucket.ts'
import { faultKind } from '../fault-kind.ts'
import { refusalBodySchema, retryAfterSecondsSchema, toMs } from '../refusal-options.ts'
import type { SeenRequest } from '../seams.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

const limitSchema = z
  .discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('fixed'), retryAfterSeconds: retryAfterSecondsSchema }),
    z.strictObject({
      mode: z.literal('burst'),
      lastsMs: z
        .int()
        .min(1)
        .max(3_600_000)
        .describe(
          'Once it acts, it refuses everything for so long; `Retry-After` tells what is left of that',
        ),
    }),
    z.strictObject({
      mode: z.literal('token-bucket'),
      burst: z.int().min(1).max(1_000_000).describe('Requests at once'),
      perSecond: z.number().gt(0).max(1_000_000).describe('Further ones, by the virtual clock'),
    }),
  ])
  .prefault({ mode: 'fixed', retryAfterSeconds: 1 })
  .describe('Which requests it acts on: each (`fixed`), all for a while (`burst`), or those above a rate')

const PERS = ['all', 'route', 'client', 'client-and-route', 'address'] as const
type Per = (typeof PERS)[number]

const PER: Record<Per, (seen: SeenRequest) => string> = {
  all: () => '',
  route: routeOf,
  client: clientOf,
  'client-and-route': (seen) => `${clientOf(seen)} ${routeOf(seen)}`,
  address: ({ remoteAddress }) => remoteAddress,
}

/** Too many requests: what was asked for has not been done. */
export const http429 = faultKind({
  name: 'http-429',
  summary: 'Answers 429 in place of what was asked for, which is not done; with `Retry-After`, or without.',
  options: z.strictObject({
    where: restWhereSchema,
    limit: limitSchema,
    per: z
      .enum(PERS)
      .default('all')
      .describe(
        'What has a burst or a bucket of its own; a client is a wallet, or where that is not known an address of the network and a `User-Agent`; all clients behind one address share that one’s',
      ),
    body: refusalBodySchema,
  }),
  start({ where, limit, per, body }, { decides, after, clock }) {
    const keyOf = PER[per]
    const deed = {
      do: 'refuse',
      status: 429,
      code: 'rate_limited',
      error: 'too many requests',
      body,
    } as const
    const refuse = (retryAfterMs: number | undefined) => ({ ...deed, retryAfterMs })
    const buckets =
      limit.mode === 'token-bucket' ? createTokenBuckets({ clock, ...limit }) : { take: () => 0 }
    /** When the burst of a key ends. */
    const endings = new Map<string, Timer>()

    return {
      request(seen) {
        if (!matchesRequest(where, seen)) return undefined
        if (limit.mode === 'fixed')
          return decides(seen.ref) ? refuse(toMs(limit.retryAfterSeconds)) : undefined
        const key = keyOf(seen)
        if (limit.mode === 'token-bucket') {
          const waitMs = buckets.take(key)
          return waitMs > 0 && decides(seen.ref) ? refuse(waitMs) : undefined
        }
        const ending = endings.get(key)
        if (ending) return refuse(ending.atMs - clock.nowMs())
        if (!decides(seen.ref)) return undefined
        endings.set(
          key,
          after(limit.lastsMs, () => endings.delete(key)),
        )
        return refuse(limit.lastsMs)
      },
    }
  },
})

function routeOf({ method, route }: SeenRequest): string {
  return `${method} ${route}`
}

function clientOf({ address, remoteAddress, userAgent }: SeenRequest): string {
  return address ?? `${remoteAddress} ${userAgent}`
}
