import { z } from 'zod'
import type { Timer } from '../../clock.ts'
import { createTokenBuckets } from '../../token-bucket.ts'
import { drawLatencyMs, faultKind, latencySchema } from '../fault-kind.ts'
import { errorPage, REFUSAL_BODIES, type SeenAnswer, type SeenRequest } from '../seams.ts'
import { matchesRequest, REST_AT, restWhereSchema } from '../when-and-where.ts'

const refusalBodySchema = z
  .enum(REFUSAL_BODIES)
  .default('json')
  .describe('The error as the exchange words it (`json`), the HTML page of a proxy, or no body at all')

const retryAfterSecondsSchema = z
  .int()
  .min(0)
  .max(3600)
  .optional()
  .describe('Told in `Retry-After`, which is left out where this is')

/** From seconds, which may be left out. */
function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

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

/** A status of the 4xx or 5xx, but for 429, which has a kind of its own: what was asked for has not been done. */
export const httpError = faultKind({
  name: 'http-error',
  summary:
    'Responds with a 4xx or 5xx instead of what was requested, which is not done; `http-429` is for 429.',
  options: z.strictObject({
    where: restWhereSchema,
    status: z
      .int()
      .min(400)
      .max(599)
      .refine((status) => status !== 429, 'expected another status than 429, which is the fault http-429')
      .default(503)
      .describe('Of the response; not 429'),
    retryAfterSeconds: retryAfterSecondsSchema,
    body: refusalBodySchema,
  }),
  start({ where, status, retryAfterSeconds, body }, { decides }) {
    const deed = {
      do: 'refuse',
      status,
      code: 'injected_fault',
      error: status < 500 ? 'the request was rejected' : 'the service is in trouble',
      retryAfterMs: toMs(retryAfterSeconds),
      body,
    } as const
    return { request: (seen) => (matchesRequest(where, seen) && decides(seen.ref) ? deed : undefined) }
  },
})

export const httpLatency = faultKind({
  name: 'http-latency',
  summary: 'Makes requests take longer, by the virtual clock.',
  options: z.strictObject({
    where: restWhereSchema,
    at: REST_AT,
    latency: latencySchema,
  }),
  start({ where, at, latency }, { decides, stream }) {
    const seam = (seen: SeenRequest) =>
      matchesRequest(where, seen) && decides(seen.ref)
        ? ({ do: 'delay', ms: drawLatencyMs(latency, stream) } as const)
        : undefined
    return at === 'request' ? { request: seam } : { answer: seam }
  },
})

export const httpBandwidth = faultKind({
  name: 'http-bandwidth',
  summary: 'Sends the bodies of answers in small pieces, as over a thin line, by the virtual clock.',
  options: z.strictObject({
    where: restWhereSchema,
    bytesPerSecond: z.int().min(1).max(1_000_000_000).describe('Of each answer, whatever others take'),
  }),
  start({ where, bytesPerSecond }, { decides }) {
    return {
      answer: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref) ? { do: 'trickle', bytesPerSecond } : undefined,
    }
  },
})

export const httpReset = faultKind({
  name: 'http-reset',
  summary: 'Cuts the connection (RST), and nothing is answered.',
  options: z.strictObject({ where: restWhereSchema, at: REST_AT }),
  start({ where, at }, { decides }) {
    const seam = (seen: SeenRequest) =>
      matchesRequest(where, seen) && decides(seen.ref) ? ({ do: 'reset' } as const) : undefined
    return at === 'request' ? { request: seam } : { answer: seam }
  },
})

export const httpHang = faultKind({
  name: 'http-hang',
  summary: 'Answers nothing at all, and keeps the connection open until the client gives up.',
  options: z.strictObject({ where: restWhereSchema, at: REST_AT }),
  start({ where, at }, { decides }) {
    const seam = (seen: SeenRequest) =>
      matchesRequest(where, seen) && decides(seen.ref) ? ({ do: 'hang' } as const) : undefined
    return at === 'request' ? { request: seam } : { answer: seam }
  },
})

export const httpTruncated = faultKind({
  name: 'http-truncated',
  summary:
    'Sends a part of the body that the head promises, and ends the connection; what was asked for has been done.',
  options: z.strictObject({
    where: restWhereSchema,
    keepPercent: z.int().min(0).max(99).default(50).describe('How much of the body comes'),
  }),
  start({ where, keepPercent }, { decides }) {
    return {
      answer: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref)
          ? { do: 'truncate', bytes: Math.floor((Buffer.byteLength(seen.body) * keepPercent) / 100) }
          : undefined,
    }
  },
})

type Body = { body: string; contentType?: string }

/** What comes in place of the body. */
const SPOILED = {
  'cut-json': ({ body }) => ({ body: body.slice(0, Math.floor(body.length / 2)) }),
  'html-page': ({ status }) => ({ body: errorPage(status), contentType: 'text/html; charset=utf-8' }),
  'text-type': ({ body }) => ({ body, contentType: 'text/plain; charset=utf-8' }),
  empty: () => ({ body: '' }),
  null: () => ({ body: 'null' }),
  garbage: ({ body }) => ({ body: `\u0000\ufffd${body}` }),
} as const satisfies Record<string, (seen: SeenAnswer) => Body>

const ANSWERS = {
  any: () => true,
  successes: (status) => status < 400,
  errors: (status) => status >= 400,
} as const satisfies Record<string, (status: number) => boolean>

export const httpMalformed = faultKind({
  name: 'http-malformed',
  summary:
    'Spoils the bodies of answers, status and length as they should be; what was asked for has been done, or refused.',
  breaks: 'Bodies are JSON (Conventions).',
  options: z.strictObject({
    where: restWhereSchema,
    of: z.enum(['any', 'successes', 'errors']).default('any').describe('Which answers'),
    as: z
      .enum(['cut-json', 'html-page', 'text-type', 'empty', 'null', 'garbage'])
      .describe(
        'The first half of the JSON, the page of a proxy, the right body as `text/plain`, nothing, `null`, or other bytes ahead of the JSON',
      ),
  }),
  start({ where, of, as }, { decides }) {
    return {
      answer: (seen) =>
        matchesRequest(where, seen) && ANSWERS[of](seen.status) && decides(seen.ref)
          ? { do: 'answer', status: seen.status, ...SPOILED[as](seen) }
          : undefined,
    }
  },
})
