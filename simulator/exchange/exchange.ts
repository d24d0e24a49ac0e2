/**
 * The REST half of the stub exchange: a Fastify server without a listener, over the indexer's views and the sign-in
 * state. One plugin a route group (routes/); what the specification leaves open is decided in choices/.
 */
import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Auth } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import { ERRORS, type ErrorCode } from '../choices/error-codes.ts'
import {
  boundServer,
  HTTP_BOUNDS,
  type HttpBounds,
  listenerOptions,
  type TlsIdentity,
  takeJsonBodies,
} from '../http/listener.ts'
import type { Views } from '../indexer/views/views.ts'
import type { Observing } from '../observer/observing.ts'
import { serveInTurn } from '../service-queue.ts'
import { STATED_LIMITS, type StubLimits } from '../stub-limits.ts'
import type { ChainNode } from '../world/chain-node.ts'
import type { World } from '../world/world.ts'
import { type AccessLevel, guardAccess, READING_METHODS } from './access/access.ts'
import { admitPages, showToPage } from './access/browsers.ts'
import { limitRate, type RateLimit } from './access/rate-limit.ts'
import {
  answerBrokenHttp,
  answerErrors,
  collectAllowedMethods,
  errorAnswerer,
  Refusal,
  shownCode,
  statusOf,
  tellTimes,
} from './errors.ts'
import { type FaultyRest, injectFaults } from './inject-faults.ts'
import { parseEmptyOnce } from './input.ts'
import { describeRoutes } from './openapi/describe-routes.ts'
import { asyncApiRoutes, openApiRoutes } from './openapi/openapi-routes.ts'
import { withExtraFields } from './replies/extra-fields.ts'
import { chooseViews } from './requests/choose-views.ts'
import { countRequests, createMetrics, type FeedFigures } from './requests/metrics.ts'
import {
  noteAnswer,
  observedActivity,
  observeRequests,
  requestActivity,
  requestLogLine,
} from './requests/observe-requests.ts'
import { aggregatorRoutes } from './routes/aggregator.ts'
import { authRoutes } from './routes/auth.ts'
import { debugRoutes } from './routes/debug.ts'
import { exploreMarketRoutes, exploreRoutes } from './routes/explore.ts'
import { faucetRoutes, mintRoutes } from './routes/faucet.ts'
import { healthRoutes, type Readiness } from './routes/health.ts'
import { poolRoutes, swapRoutes, tokenRoutes } from './routes/lists.ts'
import { poolReadRoutes } from './routes/pool-reads.ts'
import { portfolioRoutes } from './routes/portfolio.ts'
import { complianceRoutes, protocolRoutes } from './routes/protocol.ts'
import { accessStatusRoutes, referralRoutes } from './routes/referral.ts'
import { apiTokenRoutes, sessionRoutes } from './routes/sessions.ts'
import { routeRoutes, tradingRoutes } from './routes/trading.ts'

export type ExchangeOptions = {
  /** The world, as far as REST is concerned: its clock, what is indexed, and where the rate limit joins snapshots. */
  world: Pick<World, 'clock' | 'views' | 'include'>
  /** The views of a replica, for one public read; without it, all reads come from the world's views. */
  replica?: (() => Views) | undefined
  auth: Auth
  choices: Choices
  /** The chain itself, for what is submitted to it and for introspection. */
  node: ChainNode
  limits?: StubLimits
  /** Registers more hooks, once it is known who makes a request, and ahead of faults and the rate limit. */
  extend?: ((app: FastifyInstance) => void) | undefined
  rateLimit: RateLimit
  /** Requests a second that it has time for, real time; as many as it can if left out. */
  serviceRate?: number
  /** What metrics tell of the live feed. */
  feed: FeedFigures
  readiness: () => Readiness
  /** One JSON line a request, without secrets. */
  log?: (line: string) => void
  http?: HttpBounds
  /** Then it speaks HTTPS, with HTTP/2 and HTTP/1.1; plain HTTP if left out. */
  tls?: TlsIdentity
  /** The live feed, described for machines. */
  asyncApi?: () => object
  /** Gets the same for the journal. */
  record?: ActivityJournal['record']
  /** Who is told of what clients do; nobody where it is left out. */
  observing?: Observing
  /** Those in force; none where it is left out. */
  faults?: FaultyRest
  /** What a refresh waits for where a server with a database would: the event loop's next turn, if left out. */
  turn?: () => Promise<void>
}

/** Does not listen, and is not ready yet: hooks may still be added. */
export async function buildExchange(options: ExchangeOptions): Promise<FastifyInstance> {
  const { world, auth, node, feed, choices, log, record } = options
  const { limits = STATED_LIMITS, http = HTTP_BOUNDS } = options
  const { clock, views } = world
  const metrics = createMetrics({ views, node, feed, auth })
  const tell = (request: FastifyRequest, reply: FastifyReply, payload?: unknown) => {
    if (!log && !record) return
    const activity = requestActivity(request, reply)
    if (record) {
      const entry = record(observedActivity(request, reply, activity))
      noteAnswer(request, reply, { entry, payload })
    }
    log?.(requestLogLine(activity, clock))
  }
  const answerError = errorAnswerer({ choices, clock })
  const app = fastify({
    bodyLimit: choices.bodyBytesMax,
    routerOptions: { maxParamLength: 12 * choices.keyLengthMax }, // percent-encoded: four bytes a character, three letters each
    genReqId: createRefs(),
    // A path that cannot be decoded comes past all hooks.
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, showToPage(request, dateReply(reply)))
      tell(request, reply)
      metrics.observe(request, reply)
    },
    clientErrorHandler: answerBrokenHttp({ clock, choices }),
    ...listenerOptions(options.tls, http),
  })
  const dateReply = tellTimes(app, clock)
  boundServer(app.server, http)
  app.setValidatorCompiler(parseEmptyOnce(validatorCompiler))
  app.setSerializerCompiler(withExtraFields(serializerCompiler, choices))
  countRequests(app, metrics)
  if (options.serviceRate !== undefined)
    metrics.watchQueue(serveInTurn(app, { perSecond: options.serviceRate }))
  app.addHook('onSend', (request, reply, payload, done) => {
    dateReply(reply)
    tell(request, reply, payload)
    done()
  })
  answerErrors(app, { choices, clock })
  documentErrors(app, choices)
  await describeRoutes(app, choices)
  takeJsonBodies(app)
  await admitPages(app)
  await app.register(cookie)
  guardAccess(app, { auth, choices })
  chooseViews(app, { primary: views, replica: options.replica })
  options.extend?.(app)
  if (options.observing) observeRequests(app, { observing: options.observing, auth, clock, choices })
  if (options.faults) injectFaults(app, { faults: options.faults, clock, choices })
  await limitRate(app, { clock, limit: options.rateLimit, include: world.include })
  const allowedMethods = collectAllowedMethods(app)
  listRoutes(app)
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, ({ url }) => {
    const allow = allowedMethods(url.split('?')[0] ?? '').join(', ')
    throw allow === '' ? new Refusal('not_found') : new Refusal('method_not_allowed', { headers: { allow } })
  })

  app.register(healthRoutes, { views, metrics, readiness: options.readiness })
  app.register(authRoutes, { auth, clock, choices, ...(options.turn && { turn: options.turn }) })
  app.register(sessionRoutes, { auth, choices })
  app.register(apiTokenRoutes, { auth, choices })
  app.register(accessStatusRoutes, { auth })
  app.register(referralRoutes, { auth, choices })
  app.register(poolRoutes, { choices })
  app.register(poolReadRoutes, { choices })
  app.register(exploreRoutes, { choices, limits })
  app.register(exploreMarketRoutes, { choices })
  app.register(tokenRoutes, { choices })
  app.register(swapRoutes, { choices, limits })
  app.register(routeRoutes, { choices, limits })
  app.register(protocolRoutes, { choices })
  app.register(complianceRoutes, { choices })
  app.register(portfolioRoutes, { choices })
  app.register(tradingRoutes, { choices })
  app.register(aggregatorRoutes, { choices })
  app.register(mintRoutes, { views, node, choices })
  app.register(faucetRoutes, { node, clock, choices, limits })
  app.register(debugRoutes, { node, choices })
  if (options.asyncApi) app.register(asyncApiRoutes, { asyncApi: options.asyncApi })
  app.register(openApiRoutes, { choices, views, node })
  return app
}

/** Consecutive, so that a replayed run gives the same ones. */
function createRefs(): () => string {
  let count = 0
  return () => `r${(++count).toString(36).padStart(7, '0')}`
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Codes that the route itself answers with, beyond those that access, input and the rate limit bring. */
    errors?: readonly ErrorCode[]
  }
}

/** Adds to each route registered from here on a schema for every error status that it may answer with. */
function documentErrors(app: FastifyInstance, choices: Choices): void {
  app.addHook('onRoute', (route) => {
    const errors = errorResponses(errorsOf(route), choices)
    const response = { ...errors, ...(route.schema?.response as object | undefined) }
    route.schema = { ...route.schema, response }
  })
}

/** Every code that a route may answer with. */
export function errorsOf({ method, schema, config = {} }: RouteOptions): readonly ErrorCode[] {
  const { access = 'session', servesWithoutAccess, rateLimit, errors = [] } = config
  const writes = [method].flat().some((name) => !READING_METHODS.has(name))
  const codes = new Set<ErrorCode>(errors)
  const add = (condition: boolean, ...more: ErrorCode[]) => {
    if (condition) for (const code of more) codes.add(code)
  }
  add(schema?.querystring !== undefined, 'invalid_request')
  add(schema?.body !== undefined, 'invalid_request', 'body_too_large', 'media_type_unsupported')
  add(true, ...ERRORS_OF_ACCESS[access])
  add(access !== 'public' && access !== 'admin' && !servesWithoutAccess, 'access_required')
  add(access !== 'public' && writes, 'csrf_required')
  add(rateLimit !== false, 'rate_limited')
  add(true, 'internal')
  return [...codes]
}

const ERRORS_OF_ACCESS: Record<AccessLevel, readonly ErrorCode[]> = {
  public: [],
  cred: ['credentials_missing', 'credentials_invalid'],
  session: ['credentials_missing', 'credentials_invalid', 'session_required'],
  admin: ['credentials_missing', 'credentials_invalid', 'admin_required'],
}

/** A schema for each status that one of the codes has. */
function errorResponses(codes: readonly ErrorCode[], choices: Choices): Record<number, z.ZodType> {
  const statuses = [...new Set(codes.map((code) => statusOf(code, choices)))].sort()
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorSchema(
        codes.filter((code) => statusOf(code, choices) === status),
        choices,
      ),
    ]),
  )
}

function errorSchema(codes: readonly ErrorCode[], choices: Choices): z.ZodType {
  const ref = choices.errors.ref === 'shown' ? 'r0000001' : null
  const isWait = codes.every((code) => 'retryAfter' in ERRORS[code])
  return errorBodySchema.meta({
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].error}`).join('; '),
    examples: codes.map((code) => ({ error: ERRORS[code].error, code: shownCode(code, choices), ref })),
    ...(isWait && { headers: { 'Retry-After': RETRY_AFTER } }),
  })
}

const RETRY_AFTER = { type: 'string', description: 'How long to wait: in seconds, or until when' }

declare module 'fastify' {
  interface FastifyInstance {
    /** Such as `GET /pools/:key`; complete once the server is ready. */
    routeNames: readonly string[]
  }
}

/** Lists the routes that are registered from here on. HEAD comes with each GET, and is not listed for itself. */
function listRoutes(app: FastifyInstance): void {
  const names: string[] = []
  app.decorate('routeNames', names)
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return // the CORS plugin's
    for (const name of [method].flat()) if (name !== 'HEAD') names.push(`${name} ${url}`)
  })
}
