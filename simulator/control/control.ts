/**
 * The control API of a stub: what a test needs of the world, and no client of the exchange may have. It has a loopback
 * listener of its own, asks for a token, and answers errors with {error, code}.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { ZodError } from 'zod'
import { takeJsonBodies } from '../json-bodies.ts'
import { WorldError } from '../world-error.ts'
import { isLoopbackHost } from './loopback-host.ts'
import { type Controlled, RESOURCES } from './resources.ts'

export type ControlOptions = Controlled & {
  /** What `Authorization: Bearer` must carry. */
  token: string
  /** Failures of the stub itself, one entry each. */
  log?: (line: string) => void
}

export const CONTROL_ERRORS = {
  invalid_body: { status: 400, error: 'the body is not what this resource takes' },
  unauthorized: { status: 401, error: 'Authorization: Bearer with the control token is needed' },
  host_refused: { status: 403, error: 'the Host header must name the loopback' },
  not_found: { status: 404, error: 'there is no such resource' },
  snapshot_unknown: { status: 404, error: 'there is no such snapshot' },
  snapshots_full: { status: 409, error: 'there are too many snapshots' },
  reorg_too_deep: { status: 409, error: 'the chain does not go back so far' },
  internal: { status: 500, error: 'internal error' },
} as const

type ControlError = keyof typeof CONTROL_ERRORS

/** Does not listen. Times, the Date header included, are those of the virtual clock. */
export function buildControl(options: ControlOptions): FastifyInstance {
  const { token, clock, log = () => {} } = options
  const app = fastify({ forceCloseConnections: true })
  takeJsonBodies(app)

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('date', new Date(clock.nowMs()).toUTCString())
    if (!isLoopbackHost(request.headers.host)) return void refuse(reply, 'host_refused')
    if (!isBearer(request.headers.authorization, token)) {
      return void refuse(reply.header('www-authenticate', 'Bearer'), 'unauthorized')
    }
    done()
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, 'not_found'))
  app.setErrorHandler((error: FastifyError | ZodError | WorldError, request: FastifyRequest, reply) => {
    if (error instanceof ZodError) return refuse(reply, 'invalid_body', problemsOf(error))
    if (error instanceof WorldError && isControlError(error.code)) {
      return refuse(reply, error.code, `${error.message}. ${error.hint}`)
    }
    // Fastify's own: not JSON, another media type, too long.
    if ('statusCode' in error && error.statusCode !== undefined && error.statusCode < 500) {
      return refuse(reply, 'invalid_body', error.message)
    }
    log(`control ${request.method} ${request.url}: ${error.stack}`)
    return refuse(reply, 'internal')
  })
  for (const { method, path, answer } of RESOURCES) {
    app.route({ method, url: path, handler: async (request) => answer(options, request.body) })
  }
  return app
}

function isControlError(code: string): code is ControlError {
  return Object.hasOwn(CONTROL_ERRORS, code)
}

/** Compares digests: in constant time, whatever the lengths. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(header ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

function refuse(reply: FastifyReply, code: ControlError, detail?: string): FastifyReply {
  const { status, error } = CONTROL_ERRORS[code]
  return reply.code(status).send({ error: detail ? `${error}: ${detail}` : error, code })
}

function problemsOf(error: ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
}
