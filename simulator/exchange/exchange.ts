/**
 * The REST half of the stub exchange: a Fastify server without a listener, over the indexer's views and the sign-in state. One
 * plugin per route group (routes/); choices/ decides what the specification leaves open.
 */
import type { FastifyInstance, RouteOptions } from 'fastify'
import fastify from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import type { ActivityJournal } from '../activity-journal.ts'
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
import { STATED_LIMITS, type StubLimits } from '../stub-options.ts'
import type { ChainNode } from '../world/chain-node.ts'
import { type AccessLevel, READING_METHODS } from './access/access.ts'
import { showToPage } from './access/browsers.ts'
import {
  collectAllowedMethods,
  createClientErrorHandler,
  createDater,
  createErrorHandler,
  getStatus,
  Refusal,
  shownCode,
} from './errors.ts'
import { parseEmptyOnce } from './input.ts'
import { describeRoutes } from './openapi/describe-routes.ts'
import { asyncApiRoutes, openApiRoutes } from './openapi/openapi-routes.ts'
import { addPipeline, createRecorder, type PipelineOptions } from './pipeline.ts'
import { createBodySerializer } from './replies/extra-fields.ts'
import { createMetrics, type FeedFigures } from './requests/metrics.ts'
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

export type ExchangeOptions = PipelineOptions & {
  /** The chain itself, for submitted transactions and for introspection. */
  node: ChainNode
  limits?: StubLimits
  feed: FeedFigures
  readiness: () => Readiness
  /** Receives one JSON line per request, without secrets. */
  log?: (line: string) => void
  record?: ActivityJournal['record']
  http?: HttpBounds
  /** HTTPS, with HTTP/2 and HTTP/1.1; default: plain HTTP. */
  tls?: TlsIdentity
  asyncApi?: () => object
  /** Awaited by a refresh, like a database call; default: the next turn of the event loop. */
  turn?: () => Promise<void>
}

/** Returns a server that is not listening and not ready yet: hooks may still be added. */
export async function buildExchange(options: ExchangeOptions): Promise<FastifyInstance> {
  const { world, auth, node, feed, choices } = options
  const { limits = STATED_LIMITS, http = HTTP_BOUNDS } = options
  const { clock, views } = world
  const metrics = createMetrics({ views, node, feed, auth })
  const record = createRecorder({ metrics, clock, journal: options.record, log: options.log })
  const date = createDater(clock)
  const handleError = createErrorHandler({ choices, clock })
  const app = fastify({
    bodyLimit: choices.bodyBytesMax,
    routerOptions: { maxParamLength: 12 * choices.keyLengthMax }, // percent-encoded: four bytes per character, three letters each
    genReqId: createRefs(),
    // A request whose path cannot be decoded skips all hooks.
    frameworkErrors(error, request, reply) {
      handleError(error, request, showToPage(request, date(reply)))
      record.sent(request, reply)
    },
    clientErrorHandler: createClientErrorHandler({ clock, choices }),
    ...listenerOptions(options.tls, http),
  })
  boundServer(app.server, http)
  app.setValidatorCompiler(parseEmptyOnce(validatorCompiler))
  const serialize = createBodySerializer(choices)
  app.setSerializerCompiler(() => serialize)
  app.setErrorHandler(handleError)
  documentErrors(app, choices)
  await describeRoutes(app, choices)
  takeJsonBodies(app)
  await addPipeline(app, { ...options, metrics, record, date })
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

/** Consecutive, so that a replayed run gives the same refs. */
function createRefs(): () => string {
  let count = 0
  return () => `r${(++count).toString(36).padStart(7, '0')}`
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Codes of the route itself, in addition to those of access, input and the rate limit. */
    errors?: readonly ErrorCode[]
  }
}

/** Adds a schema for each possible error status to every route registered after this call. */
function documentErrors(app: FastifyInstance, choices: Choices): void {
  app.addHook('onRoute', (route) => {
    const errors = errorResponses(listErrors(route), choices)
    const response = { ...errors, ...(route.schema?.response as object | undefined) }
    route.schema = { ...route.schema, response }
  })
}

export function listErrors({ method, schema, config = {} }: RouteOptions): readonly ErrorCode[] {
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

function errorResponses(codes: readonly ErrorCode[], choices: Choices): Record<number, z.ZodType> {
  const statuses = [...new Set(codes.map((code) => getStatus(code, choices)))].sort()
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorSchema(
        codes.filter((code) => getStatus(code, choices) === status),
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

const RETRY_AFTER = { type: 'string', description: 'Time to wait: seconds, or a date' }

declare module 'fastify' {
  interface FastifyInstance {
    /** Such as `GET /pools/:key`; complete once the server is ready. */
    routeNames: readonly string[]
  }
}

/** Lists routes registered after this call. Omits HEAD, which comes with each GET. */
function listRoutes(app: FastifyInstance): void {
  const names: string[] = []
  app.decorate('routeNames', names)
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return // the CORS plugin's
    for (const name of [method].flat()) if (name !== 'HEAD') names.push(`${name} ${url}`)
  })
}
