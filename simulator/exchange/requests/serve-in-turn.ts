import type { FastifyInstance } from 'fastify'
import { realTimer } from '../../real-time.ts'
import { createServiceQueue, type ServiceQueue, type ServiceTime } from './service-queue.ts'

/**
 * Each request waits its turn in one queue that is served at a steady rate of real time, whatever the world's clock does.
 * Exempt are routes with `config.rateLimit: false`, which whoever runs the exchange watches it by. A request whose client
 * has gone, as its connection tells, leaves the queue and is never answered.
 *
 * To be added ahead of all that a request costs: what comes after it, such as the rate limit, then sees no more than is served.
 */
export function serveInTurn(
  app: FastifyInstance,
  { perSecond, time = realTimer }: { perSecond: number; time?: ServiceTime },
): ServiceQueue {
  const queue = createServiceQueue({ perSecond, time })
  app.addHook('onRequest', (request, { raw }, done) => {
    if (request.routeOptions.config.rateLimit === false) return done()
    const waiting = queue.enter(() => {
      raw.off('close', waiting.leave)
      done()
    })
    raw.once('close', waiting.leave)
  })
  app.addHook('onClose', (_app, done) => {
    queue.close()
    done()
  })
  return queue
}
