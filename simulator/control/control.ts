/**
 * The control API of a stub: access to the world for tests, which no client of the exchange may have. It has a separate loopback
 * listener, requires a token, and returns errors as {error, code}.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { isLoopbackHost } from '../../contract/addresses.ts'
import { takeJsonBodies } from '../http/listener.ts'
import { WorldError } from '../world/world-state.ts'
import { CONTROL_ERRORS, type ControlErrorCode, type Controlled, ControlRefusal } from './resource.ts'
import { RESOURCES } from './resources.ts'

export type ControlOptions = Controlled & {
  /** Required in `Authorization: Bearer`. */
  token: string
  log?: (line: string) => void
}

/** Returns a server that is not listening. Times, the Date header included, are virtual. */
export function buildControl(options: ControlOptions): FastifyInstance {
  const { token, clock, journal, observer, log = () => {} } = options
  const app = fastify({ forceCloseConnections: true })
  takeJsonBodies(app)

  /** Skips reads: they change nothing, and a client may poll. */
  const record = ({ method, routeOptions }: FastifyRequest, recorded: Recorded) => {
    const route = routeOptions.url ?? null
    if (method !== 'GET') journal.record({ kind: 'control', method, route, ...recorded })
  }
  /** Some resources move the clock while clients have no time to act. */
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
  app.setErrorHandler((error: FastifyError | WorldError | ControlRefusal, request, reply) => {
    if (error instanceof ControlRefusal) return refuse(reply, error.code, error.message)
    if (error instanceof WorldError && isControlError(error.code)) {
      return refuse(reply, error.code, `${error.message}. ${error.hint}`)
    }
    // Fastify's own: not JSON, wrong media type, too long.
    if ('statusCode' in error && error.statusCode !== undefined && error.statusCode < 500) {
      return refuse(reply, 'invalid_request', error.message)
    }
    log(`control ${request.method} ${request.url}: ${error.stack}`)
    return refuse(reply, 'internal')
  })
  for (const { method, path, respond: response } of RESOURCES) {
    const handler = async (request: FastifyRequest) => {
      const input = method === 'GET' ? request.query : request.body
      const output = await (method === 'GET'
        ? response(options, input)
        : whileHeld(() => response(options, input)))
      record(request, { status: 200, input: input ?? {} })
      return output
    }
    app.route({ method, url: path, handler })
  }
  return app
}

type Recorded = { status: number; code?: ControlErrorCode; input?: unknown }

function isControlError(code: string): code is ControlErrorCode {
  return Object.hasOwn(CONTROL_ERRORS, code)
}

/** Compares digests: constant time for any length. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
