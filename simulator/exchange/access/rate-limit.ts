import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import { createTokenBuckets } from '../../token-bucket.ts'
import type { World } from '../../world/world.ts'
import { Refusal } from '../errors.ts'

export type RateLimit = { burst: number; perSecond: number; per: 'credential' | 'address' }

/** For load tests, which would otherwise measure the stub's own limit. */
export const NO_RATE_LIMIT: RateLimit = { burst: 1_000_000, perSecond: 1_000_000, per: 'credential' }

/** Responds 429 with Retry-After when a bucket is empty. Routes with `config.rateLimit: false` are exempt. */
export async function limitRate(
  app: FastifyInstance,
  options: {
    clock: Clock
    limit: RateLimit
    include: World['include']
  },
): Promise<void> {
  const { clock, limit } = options
  const buckets = createTokenBuckets({ clock, ...limit })
  options.include({ name: 'rate limit', save: buckets.save, restore: buckets.restore })

  /** Store in the form that the plugin constructs with `new`; it limits only above `max`. */
  class BucketStore implements FastifyRateLimitStore {
    incr(key: string, callback: (error: null, result: { current: number; ttl: number }) => void): void {
      const waitMs = buckets.take(key)
      callback(null, { current: waitMs > 0 ? limit.burst + 1 : limit.burst, ttl: waitMs })
    }
    child(): FastifyRateLimitStore {
      return this
    }
  }

  await app.register(rateLimit, {
    max: limit.burst,
    store: BucketStore,
    keyGenerator: (request) => bucketKey(request, limit.per),
    errorResponseBuilder: (_request, { ttl }) => new Refusal('rate_limited', { retryAfterMs: ttl }),
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
  })
}

/** A valid credential has its own bucket; invalid ones share that of their address. */
function bucketKey(request: FastifyRequest, per: RateLimit['per']): string {
  const { credential } = request
  if (per === 'address' || typeof credential === 'string') return `address:${request.ip}`
  return `${credential.kind}:${credential.id}`
}
