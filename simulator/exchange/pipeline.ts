/**
 * The request pipeline, from socket to response. Fastify runs the hooks of a phase in the order in which they are added, and the
 * phases in the order onRequest, preParsing, preValidation, handler, onSend, onResponse: the function below is in execution
 * order.
 */

import cookie from '@fastify/cookie'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preValidationHookHandler,
} from 'fastify'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Auth, Credential } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { ErrorCode } from '../choices/error-codes.ts'
import type { Clock } from '../clock.ts'
import type { Rejection } from '../faults/hooks.ts'
import { cutAfter, payloadText, resetConnection, trickle } from '../http/transports.ts'
import type { Views } from '../indexer/views/views.ts'
import type { ArrivedRequest } from '../observer/observer.ts'
import type { Observing } from '../observer/observing.ts'
import { realTimeMs, serveInTurn } from '../service-queue.ts'
import type { World } from '../world/world.ts'
import { type AccessNeeds, admit, identify } from './access/access.ts'
import { admitPages } from './access/browsers.ts'
import { limitRate, type RateLimit } from './access/rate-limit.ts'
import { createRestFaults, type FaultyRest } from './inject-faults.ts'
import type { Metrics } from './requests/metrics.ts'
import {
  createRequestObserver,
  lostActivity,
  observedActivity,
  requestActivity,
  requestLogLine,
} from './requests/observe-requests.ts'

export type RequestContext = {
  /** In real time. Not set if the path cannot be decoded: such a request skips all hooks. The same applies to `skewMs`. */
  arrivedAtMs?: number
  /** In real time. Only set if there is a service queue, which has then served the request. */
  servedAtMs?: number
  credential: Credential | 'missing' | 'invalid'
  views: Views
  /** Overrides part of the route's access level. */
  otherNeeds: Partial<AccessNeeds> | null
  /** Offset of this request's clock. */
  skewMs?: number
  quotedRevision: number | null
  /** Code of the error body and source of an internal error, for journal and log. */
  failure: { code: ErrorCode | Rejection['code']; source: string | null } | null
  /** How the response leaves; null: complete. */
  ending: Ending | null
  /** A fault replaced the body of a success. */
  isMalformed: boolean
  /** null without an observer, and for browser preflights. */
  observed: { arrival: ArrivedRequest; entry: number; page: PageEnd; isOver: boolean } | null
}

/** `hang` sends nothing and keeps the connection open. */
export type Ending =
  | { do: 'hang' }
  | { do: 'reset' }
  | { do: 'cut'; afterBytes: number }
  | { do: 'trickle'; bytesPerSecond: number }

/** How a page of /pools ends the list: without rows, or with the last one. */
type PageEnd = 'none' | 'empty' | 'last'

declare module 'fastify' {
  interface FastifyRequest extends RequestContext {}
}

/** Deviations: changes to requests and responses outside the exchange. */
export type Steps = {
  request?: onRequestHookHandler
  body?: preValidationHookHandler
  /** May set `ending`. */
  response?: onSendHookHandler
}

export type PipelineOptions = {
  world: Pick<World, 'clock' | 'views' | 'include'>
  /** Returns a replica's views for one public read; default: the world's views. */
  replica?: (() => Views) | undefined
  auth: Auth
  choices: Choices
  rateLimit: RateLimit
  /** Requests per second of real time; no limit by default. */
  serviceRate?: number
  steps?: Steps
  faults?: FaultyRest
  observing?: Observing
}

/** Call it before routes are registered. */
export async function addPipeline(
  app: FastifyInstance,
  options: PipelineOptions & {
    metrics: Metrics
    record: ReturnType<typeof createRecorder>
    date: (reply: FastifyReply) => void
  },
): Promise<void> {
  const { world, replica, auth, choices, metrics, record, date } = options
  const { clock, views } = world
  const deviations = options.steps ?? {}
  const faults =
    options.faults && createRestFaults({ faults: options.faults, choices, clock, lose: record.lost })
  const observer =
    options.observing &&
    createRequestObserver({ observing: options.observing, auth, clock, choices, lose: record.lost })
  for (const [name, initial] of Object.entries(INITIAL)) app.decorateRequest(name, initial as never) // as: each has its own type

  // 1. The head has arrived.
  app.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAtMs = realTimeMs()
    done()
  })
  if (options.serviceRate !== undefined) {
    metrics.watchQueue(serveInTurn(app, { perSecond: options.serviceRate }))
    watchServiceQueue(app)
  }
  await admitPages(app)
  // Added before the cookie plugin, which adds the Set-Cookie header in its own onSend hook.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    date(reply)
    done()
  })
  await app.register(cookie)
  // 2. Identify the caller and the data to read.
  app.addHook('onRequest', (request, _reply, done) => {
    request.credential = identify(request, { auth, choices })
    request.views = replica && isPublicRead(request) ? replica() : views
    done()
  })
  // 3. Deviations change the request; the observer sees the result; faults delay it or respond.
  if (deviations.request) app.addHook('onRequest', deviations.request)
  if (observer) app.addHook('onRequest', observer.request)
  if (faults) app.addHook('onRequest', faults.request)
  // 4. Rate limit by credential, then the route's access level, before the body is read.
  await limitRate(app, { clock, limit: options.rateLimit, include: world.include })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    admit(request, auth)
    done()
  })
  // 5. The body is parsed, changed, validated; the route handles it (routes/), or throws (errors.ts).
  if (deviations.body) app.addHook('preValidation', deviations.body)
  // 6. Deviations change the response, then faults.
  if (deviations.response) app.addHook('onSend', deviations.response)
  if (faults) app.addHook('onSend', faults.response)
  // 7. The response is final: time, record and send it.
  addServerTiming(app)
  app.addHook('onSend', (request, reply, payload, done) => {
    record.sent(request, reply, payload)
    if (request.ending) endOtherwise(request.ending, reply, payload, clock)
    else done()
  })
  // 8. It has been sent. A client never learns of a response that was cut or never sent.
  if (observer) app.addHook('onResponse', observer.response)
  app.addHook('onClose', (_app, done) => {
    metrics.close()
    done()
  })
}

const INITIAL = {
  arrivedAtMs: undefined,
  servedAtMs: undefined,
  credential: 'missing',
  views: undefined,
  otherNeeds: null,
  skewMs: 0,
  quotedRevision: null,
  failure: null,
  ending: null,
  isMalformed: false,
  observed: null,
} as const

/** Counts responses as they are sent, and writes them to the journal and the log, if present; and requests without one. */
export function createRecorder(options: {
  metrics: Metrics
  clock: Clock
  journal: ActivityJournal['record'] | undefined
  log: ((line: string) => void) | undefined
}) {
  const { metrics, clock, journal, log } = options
  return {
    sent(request: FastifyRequest, reply: FastifyReply, payload?: unknown): void {
      metrics.observe(request, reply)
      // Its client left before there was a response.
      if ((!log && !journal) || request.observed?.isOver) return
      const entry = journal?.(observedActivity(request, reply)) ?? 0
      if (request.observed) Object.assign(request.observed, { entry, page: parsePageEnd(request, payload) })
      log?.(requestLogLine(requestActivity(request, reply), clock))
    },
    /** The request gets no response; recorded once. */
    lost(request: FastifyRequest): void {
      const { observed } = request
      if (observed && observed.entry !== 0) return
      const activity = lostActivity(request)
      const entry = journal?.(activity) ?? 0
      if (observed) observed.entry = entry
      log?.(requestLogLine(activity, clock))
    },
  }
}

/** `data` is the first field of a body, or follows the extra fields of the choices. */
function parsePageEnd({ routeOptions }: FastifyRequest, payload: unknown): PageEnd {
  if (routeOptions.url !== '/pools' || typeof payload !== 'string') return 'none'
  if (/^.{0,200}"data":\[\]/s.test(payload)) return 'empty'
  const pagination = payload.slice(payload.lastIndexOf('"pagination":'))
  const [total, limit, offset] = ['total', 'limit', 'offset'].map((name) =>
    Number(new RegExp(`"${name}":([0-9]+)`).exec(pagination)?.[1]),
  )
  return Number(offset) + Number(limit) >= Number(total) ? 'last' : 'none'
}

function endOtherwise(ending: Ending, reply: FastifyReply, payload: unknown, clock: Clock): void {
  if (ending.do === 'reset') resetConnection(reply.request)
  else if (ending.do === 'cut') cutAfter(reply, payloadText(payload), ending.afterBytes)
  else if (ending.do === 'trickle') trickle(reply, payloadText(payload), { ...ending, clock })
}

/**
 * Adds the header `Server-Timing` (https://www.w3.org/TR/server-timing/) with real times of a request in milliseconds. `queue`: from its
 * arrival until the service queue has served it, if the stub has one; `app`: from then until its response is final; `total`: both.
 * Call it last: it measures until the response is final.
 */
function addServerTiming(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const text = formatServerTiming(request, realTimeMs())
    if (text !== null) reply.header('server-timing', text)
    done()
  })
}

/** Records when the service queue has served a request. Call it right after the queue is added. */
function watchServiceQueue(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.servedAtMs = realTimeMs()
    done()
  })
}

/** Returns null for a request that skipped all hooks. */
export function formatServerTiming(
  { arrivedAtMs, servedAtMs }: Pick<FastifyRequest, 'arrivedAtMs' | 'servedAtMs'>,
  nowMs: number,
): string | null {
  if (arrivedAtMs === undefined) return null
  const queue = servedAtMs === undefined ? '' : `queue;dur=${milliseconds(servedAtMs - arrivedAtMs)}, `
  return `${queue}app;dur=${milliseconds(nowMs - (servedAtMs ?? arrivedAtMs))}, total;dur=${milliseconds(nowMs - arrivedAtMs)}`
}

/** To the microsecond, so never with an exponent. */
function milliseconds(ms: number): number {
  return Math.round(Math.max(0, ms) * 1000) / 1000
}

/**
 * True if a replica may serve the read. Requests with a credential or a minimum revision read the primary: the response must not
 * have an older revision (specification, Events).
 */
function isPublicRead({ routeOptions, credential, query }: FastifyRequest): boolean {
  const requiresRevision = Object.hasOwn(query as object, 'minimum_revision') // as: parsed by Fastify
  return routeOptions.config.access === 'public' && credential === 'missing' && !requiresRevision
}
