import { z } from 'zod'
import type { Timer } from '../../clock.ts'
import { createTokenBuckets } from '../../token-bucket.ts'
import { drawLatencyMs, drawsLatency, faultKind, latencySchema } from '../fault-kind.ts'
import { errorPage, REJECTION_BODIES, type RequestContext, type ResponseContext } from '../hooks.ts'
import { matchesRequest, REST_AT, restWhereSchema } from '../when-and-where.ts'

const refusalBodySchema = z
  .enum(REJECTION_BODIES)
  .default('json')
  .describe('Error body of the exchange (`json`), the HTML page of a proxy (`html`), or no body (`none`)')

const retryAfterSecondsSchema = z
  .int()
  .min(0)
  .max(3600)
  .optional()
  .describe('Seconds in `Retry-After`; no header if omitted')

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
          'How long every request is rejected once the fault is triggered; `Retry-After` is the remaining time',
        ),
    }),
    z.strictObject({
      mode: z.literal('token-bucket'),
      burst: z.int().min(1).max(1_000_000).describe('Number of requests allowed in a burst'),
      perSecond: z
        .number()
        .gt(0)
        .max(1_000_000)
        .describe('Sustained rate in requests/s of the virtual clock'),
    }),
  ])
  .prefault({ mode: 'fixed', retryAfterSeconds: 1 })
  .describe(
    'Which requests get 429: each one (`fixed`), all for a while (`burst`), or those above a rate (`token-bucket`)',
  )

const PERS = ['all', 'route', 'client', 'client-and-route', 'address'] as const
type Per = (typeof PERS)[number]

const PER: Record<Per, (context: RequestContext) => string> = {
  all: () => '',
  route: formatRoute,
  client: identifyClient,
  'client-and-route': (context) => `${identifyClient(context)} ${formatRoute(context)}`,
  address: ({ remoteAddress }) => remoteAddress,
}

export const http429 = faultKind({
  name: 'http-429',
  summary: 'Returns 429 instead of handling the request, with or without `Retry-After`.',
  options: z.strictObject({
    where: restWhereSchema,
    limit: limitSchema,
    per: z
      .enum(PERS)
      .default('all')
      .describe(
        'Scope of each burst or bucket. A client is a wallet or, if unknown, an IP address with a `User-Agent`; `address` is shared by all clients behind one IP address',
      ),
    body: refusalBodySchema,
  }),
  start({ where, limit, per, body }, { decides, after, clock }) {
    const getKey = PER[per]
    const action = {
      do: 'reject',
      status: 429,
      code: 'rate_limited',
      error: 'too many requests',
      body,
    } as const
    const reject = (retryAfterMs: number | undefined) => ({ ...action, retryAfterMs })
    const buckets =
      limit.mode === 'token-bucket' ? createTokenBuckets({ clock, ...limit }) : { take: () => 0 }
    /** The timer that ends the burst of a key. */
    const endings = new Map<string, Timer>()

    return {
      request(context) {
        if (!matchesRequest(where, context)) return undefined
        if (limit.mode === 'fixed')
          return decides(context.ref) ? reject(toMs(limit.retryAfterSeconds)) : undefined
        const key = getKey(context)
        if (limit.mode === 'token-bucket') {
          const waitMs = buckets.take(key)
          return waitMs > 0 && decides(context.ref) ? reject(waitMs) : undefined
        }
        const ending = endings.get(key)
        if (ending) return reject(ending.atMs - clock.nowMs())
        if (!decides(context.ref)) return undefined
        endings.set(
          key,
          after(limit.lastsMs, () => endings.delete(key)),
        )
        return reject(limit.lastsMs)
      },
    }
  },
})

function formatRoute({ method, route }: RequestContext): string {
  return `${method} ${route}`
}

function identifyClient({ address, remoteAddress, userAgent }: RequestContext): string {
  return address ?? `${remoteAddress} ${userAgent}`
}

export const httpError = faultKind({
  name: 'http-error',
  summary: 'Returns a 4xx or 5xx instead of handling the request. For 429, use `http-429`.',
  options: z.strictObject({
    where: restWhereSchema,
    status: z
      .int()
      .min(400)
      .max(599)
      .refine((status) => status !== 429, 'expected a status other than 429: use the fault http-429 instead')
      .default(503)
      .describe('Status of the response, except 429'),
    retryAfterSeconds: retryAfterSecondsSchema,
    body: refusalBodySchema,
  }),
  start({ where, status, retryAfterSeconds, body }, { decides }) {
    const action = {
      do: 'reject',
      status,
      code: 'injected_fault',
      error: status < 500 ? 'the request was rejected' : 'the service is unavailable',
      retryAfterMs: toMs(retryAfterSeconds),
      body,
    } as const
    return {
      request: (context) => (matchesRequest(where, context) && decides(context.ref) ? action : undefined),
    }
  },
})

export const httpLatency = faultKind({
  name: 'http-latency',
  summary: 'Delays requests or responses, by the virtual clock.',
  options: z.strictObject({
    where: restWhereSchema,
    at: REST_AT,
    latency: latencySchema,
  }),
  draws: drawsLatency,
  start({ where, at, latency }, { decides, draw }) {
    const hook = (context: RequestContext) =>
      matchesRequest(where, context) && decides(context.ref)
        ? ({ do: 'delay', ms: drawLatencyMs(latency, draw) } as const)
        : undefined
    return at === 'request' ? { request: hook } : { response: hook }
  },
})

export const httpBandwidth = faultKind({
  name: 'http-bandwidth',
  summary: 'Sends response bodies in small pieces, like a slow connection, by the virtual clock.',
  options: z.strictObject({
    where: restWhereSchema,
    bytesPerSecond: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .describe('Bandwidth of each response, independent of others'),
  }),
  start({ where, bytesPerSecond }, { decides }) {
    return {
      response: (context) =>
        matchesRequest(where, context) && decides(context.ref)
          ? { do: 'trickle', bytesPerSecond }
          : undefined,
    }
  },
})

export const httpReset = faultKind({
  name: 'http-reset',
  summary: 'Cuts the connection (RST) without a response.',
  options: z.strictObject({ where: restWhereSchema, at: REST_AT }),
  start({ where, at }, { decides }) {
    const hook = (context: RequestContext) =>
      matchesRequest(where, context) && decides(context.ref) ? ({ do: 'reset' } as const) : undefined
    return at === 'request' ? { request: hook } : { response: hook }
  },
})

export const httpHang = faultKind({
  name: 'http-hang',
  summary: 'Never responds, and keeps the connection open until the client gives up.',
  options: z.strictObject({ where: restWhereSchema, at: REST_AT }),
  start({ where, at }, { decides }) {
    const hook = (context: RequestContext) =>
      matchesRequest(where, context) && decides(context.ref) ? ({ do: 'hang' } as const) : undefined
    return at === 'request' ? { request: hook } : { response: hook }
  },
})

export const httpTruncated = faultKind({
  name: 'http-truncated',
  summary: 'Sends only part of the announced body, then ends the connection. The request has taken effect.',
  options: z.strictObject({
    where: restWhereSchema,
    keepPercent: z.int().min(0).max(99).default(50).describe('Part of the body that is sent, in percent'),
  }),
  start({ where, keepPercent }, { decides }) {
    return {
      response: (context) =>
        matchesRequest(where, context) && decides(context.ref)
          ? { do: 'truncate', bytes: Math.floor((Buffer.byteLength(context.body) * keepPercent) / 100) }
          : undefined,
    }
  },
})

type Body = { body: string; contentType?: string }

const REPLACEMENTS = {
  'cut-json': ({ body }) => ({ body: body.slice(0, Math.floor(body.length / 2)) }),
  'html-page': ({ status }) => ({ body: errorPage(status), contentType: 'text/html; charset=utf-8' }),
  'text-type': ({ body }) => ({ body, contentType: 'text/plain; charset=utf-8' }),
  empty: () => ({ body: '' }),
  null: () => ({ body: 'null' }),
  garbage: ({ body }) => ({ body: `\u0000\ufffd${body}` }),
} as const satisfies Record<string, (context: ResponseContext) => Body>

const MATCHES_STATUS = {
  any: () => true,
  successes: (status) => status < 400,
  errors: (status) => status >= 400,
} as const satisfies Record<string, (status: number) => boolean>

export const httpMalformed = faultKind({
  name: 'http-malformed',
  summary: 'Corrupts response bodies but keeps the status. The request has been handled.',
  breaks: 'Bodies are JSON (Conventions).',
  options: z.strictObject({
    where: restWhereSchema,
    of: z.enum(['any', 'successes', 'errors']).default('any').describe('Which responses are corrupted'),
    as: z
      .enum(['cut-json', 'html-page', 'text-type', 'empty', 'null', 'garbage'])
      .describe(
        'First half of the JSON, HTML page of a proxy, correct body as `text/plain`, empty body, `null`, or extra bytes before the JSON',
      ),
  }),
  start({ where, of, as }, { decides }) {
    return {
      response: (context) =>
        matchesRequest(where, context) && MATCHES_STATUS[of](context.status) && decides(context.ref)
          ? { do: 'respond', status: context.status, ...REPLACEMENTS[as](context) }
          : undefined,
    }
  },
})
