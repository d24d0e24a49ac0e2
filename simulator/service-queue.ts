import type { FastifyInstance } from 'fastify'
import type { Timer } from './clock.ts'

export type ServiceQueue = {
  /** Calls back once the request has been served. */
  enter(served: () => void): Waiting
  /** Requests that wait or are being served. */
  length(): number
  /** The greatest length since this was last asked. */
  takeLengthMax(): number
  /** Serves nobody any more. */
  close(): void
}

export type Waiting = {
  /** Its client has gone: it takes no service, and those behind it move up. */
  leave(): void
}

/** Real time, or what a test has in its place. */
export type ServiceTime = { nowMs(): number; after(delayMs: number, fn: () => void): Pick<Timer, 'cancel'> }

type Entry = { arrivedAtMs: number; served: () => void; gone: boolean }

/** How many that are gone are kept at the front of the list before it is cut. */
const GONE_MAX = 1024

/**
 * A server that takes always as long for a request, one after another in order of arrival (in queueing theory, `D/1`): its
 * capacity is known. When each is served follows from arrivals alone, so that a timer that comes late delays that one
 * request and no rate: what has fallen due meanwhile is served at once.
 */
export function createServiceQueue({
  perSecond,
  time,
}: {
  perSecond: number
  time: ServiceTime
}): ServiceQueue {
  const serviceMs = 1000 / perSecond
  let entries: Entry[] = []
  let first = 0
  let length = 0
  let lengthMax = 0
  /** When the server was done with the one before. */
  let freeAtMs = Number.NEGATIVE_INFINITY
  let timer: Pick<Timer, 'cancel'> | undefined

  const head = (): Entry | undefined => {
    while (entries[first]?.gone) first++
    if (first >= GONE_MAX && first * 2 >= entries.length) {
      entries = entries.slice(first)
      first = 0
    }
    return entries[first]
  }
  const remove = (entry: Entry) => {
    entry.gone = true
    length--
  }
  const dueAtMs = ({ arrivedAtMs }: Entry) => Math.max(arrivedAtMs, freeAtMs) + serviceMs
  const serveDue = () => {
    for (let entry = head(); entry; entry = head()) {
      const atMs = dueAtMs(entry)
      const waitMs = atMs - time.nowMs()
      if (waitMs > 0) {
        timer = time.after(waitMs, serveDue)
        return
      }
      freeAtMs = atMs
      remove(entry)
      entry.served()
    }
    timer = undefined
  }

  return {
    enter(served) {
      const entry = { arrivedAtMs: time.nowMs(), served, gone: false }
      entries.push(entry)
      length++
      lengthMax = Math.max(lengthMax, length)
      timer ??= time.after(dueAtMs(entry) - entry.arrivedAtMs, serveDue)
      return {
        leave() {
          if (!entry.gone) remove(entry)
        },
      }
    },
    length: () => length,
    takeLengthMax() {
      const max = lengthMax
      lengthMax = length
      return max
    },
    close: () => timer?.cancel(),
  }
}

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

/** Real time in milliseconds, from some beginning: to measure how long something took, never for the world to act by. */
export function realTimeMs(): number {
  return performance.now()
}

/** For what a load meets in real time, whatever the world's clock says. It keeps no process alive. */
const realTimer: ServiceTime = {
  nowMs: realTimeMs,
  after(delayMs, fn) {
    // A timer takes whole milliseconds, and may come a fraction early.
    const timer = setTimeout(fn, Math.ceil(delayMs)).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
