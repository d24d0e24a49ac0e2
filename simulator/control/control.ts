/**
 * The control API of a stub: what a test needs of the world, and no client of the exchange may have. It has a loopback
 * listener of its own, asks for a token, and answers errors with {error, code}.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { ZodError } from 'zod'
import { takeJsonBodies } from '../http/listener.ts'
import { WorldError } from '../world/world-state.ts'
import { CONTROL_ERRORS, type ControlErrorCode, type Controlled, ControlRefusal } from './resource.ts'
import { RESOURCES } from './resources.ts'

export type ControlOptions = Controlled & {
  /** What `Authorization: Bearer` must carry. */
  token: string
  /** Failures of the stub itself, one entry each. */
  log?: (line: string) => void
}

/** Does not listen. Times, the Date header included, are those of the virtual clock. */
export function buildControl(options: ControlOptions): FastifyInstance {
  const { token, clock, journal, observer, log = () => {} } = options
  const app = fastify({ forceCloseConnections: true })
  takeJsonBodies(app)

  /** What is only read changes nothing, and somebody may read all the time. */
  const record = ({ method, routeOptions }: FastifyRequest, told: Told) => {
    const route = routeOptions.url ?? null
    if (method !== 'GET') journal.record({ kind: 'control', method, route, ...told })
  }
  /** It may move the clock, which gives clients no time to do what they have to. */
  const whileHeld = async (act: () => unknown) => {
    observer?.hold()
    try {
      return await act()
    } finally {
      observer?.release()
    }
  }
  const refuse = (reply: FastifyReply, code: ControlErrorCode, detail?: string): FastifyReply => {
    const { status, error } = CONTROL_ERRORS[code]
    if (status === 401 || status === 403) journal.countRefused()
    else record(reply.request, { status, code })
    return reply.code(status).send({ error: detail ? `${error}: ${detail}` : error, code })
  }

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('date', new Date(clock.nowMs()).toUTCString())
    if (!isLoopbackHost(request.headers.host)) return void refuse(reply, 'host_refused')
    if (!isBearer(request.headers.authorization, token)) {
      return void refuse(reply.header('www-authenticate', 'Bearer'), 'unauthorized')
    }
    done()
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, 'not_found'))
  app.setErrorHandler((error: FastifyError | ZodError | WorldError | ControlRefusal, request, reply) => {
    if (error instanceof ZodError) return refuse(reply, 'invalid_request', problemsOf(error))
    if (error instanceof ControlRefusal) return refuse(reply, error.code, error.message)
    if (error instanceof WorldError && isControlError(error.code)) {
      return refuse(reply, error.code, `${error.message}. ${error.hint}`)
    }
    // Fastify's own: not JSON, another media type, too long.
    if ('statusCode' in error && error.statusCode !== undefined && error.statusCode < 500) {
      return refuse(reply, 'invalid_request', error.message)
    }
    log(`control ${request.method} ${request.url}: ${error.stack}`)
    return refuse(reply, 'internal')
  })
  for (const { method, path, answer } of RESOURCES) {
    const handler = async (request: FastifyRequest) => {
      const input = method === 'GET' ? request.query : request.body
      const output = await (method === 'GET'
        ? answer(options, input)
        : whileHeld(() => answer(options, input)))
      record(request, { status: 200, input: input ?? {} })
      return output
    }
    app.route({ method, url: path, handler })
  }
  return app
}

type Told = { status: number; code?: ControlErrorCode; input?: unknown }

function isControlError(code: string): code is ControlErrorCode {
  return Object.hasOwn(CONTROL_ERRORS, code)
}

/** Compares digests: in constant time, whatever the lengths. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

function problemsOf(error: ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
}

/**
 * Whether a Host header names this machine's loopback. A page of another site can have its own name resolve to loopback
 * (DNS rebinding), but then its name is in this header.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  if (!host || !URL.canParse(`http://${host}`)) return false
  // Normalized: 127.1 reads as 127.0.0.1, and what holds more than host and port differs from itself.
  const url = new URL(`http://${host}`)
  if (url.href !== `http://${url.host}/`) return false
  return LOOPBACK.test(url.hostname)
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
