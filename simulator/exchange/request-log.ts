import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'

/**
 * One JSON line a request: time, ref, method, route, status, error code. The route is the pattern, never the path or the
 * query that came: a client that puts a secret there by mistake does not find it in the log.
 */
export function requestLogger(options: {
  clock: Clock
  log: (line: string) => void
}): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const line = {
      time: new Date(options.clock.nowMs()).toISOString(),
      ref: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ...(request.failure && { code: request.failure.code }),
      ...(request.failure?.source && { source: request.failure.source }),
    }
    options.log(JSON.stringify(line))
  }
}
