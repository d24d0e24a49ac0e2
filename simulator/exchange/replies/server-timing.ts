import type { FastifyInstance, FastifyRequest } from 'fastify'
import { realTimeMs } from '../../service-queue.ts'

/**
 * Adds the header `Server-Timing` (https://www.w3.org/TR/server-timing/) with real times of a request in milliseconds. `queue`: from its
 * arrival until the service queue has served it, if the stub has one; `app`: from then until its response is final; `total`: both.
 * Call it last: it measures until the response is final.
 */
export function addServerTiming(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const text = formatServerTiming(request, realTimeMs())
    if (text !== null) reply.header('server-timing', text)
    done()
  })
}

/** Records when the service queue has served a request. Call it right after the queue is added. */
export function watchServiceQueue(app: FastifyInstance): void {
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
