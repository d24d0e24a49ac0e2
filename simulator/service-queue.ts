import type { FastifyInstance } from 'fastify'
import type { Timer } from './clock.ts'

export type ServiceQueue = {
  /** `isGone` is called when its turn comes: if true, it takes no time and is not served. */
  enter(served: () => void, isGone?: () => boolean): Waiting
  length(): number
  /** Returns the maximum length since the last call. */
  takeLengthMax(): number
  close(): void
}

export type Waiting = {
  /** The client has disconnected: skip the request; later ones move up. */
  leave(): void
}

/** Real time, or a test's substitute. */
export type ServiceTime = { nowMs(): number; after(delayMs: number, fn: () => void): Pick<Timer, 'cancel'> }

type Entry = {
  arrivedAtMs: number
  serviceMs: number
  served: () => void
  gone: boolean
  isGone?: (() => boolean) | undefined
}

/** Limits the number of skipped entries kept at the front of the list. */
const GONE_MAX = 1024

/**
 * A server with one FIFO queue and constant service times, so its capacity is known (in queueing theory, `D/1`); `serviceMs` draws
 * other service times. The times of service follow from arrivals alone: a late timer delays one request but not the rate, since overdue requests are served immediately.
 */
export function createServiceQueue({
  perSecond,
  time,
  serviceMs = () => 1000 / perSecond,
}: {
  perSecond: number
  time: ServiceTime
  serviceMs?: (() => number) | undefined
}): ServiceQueue {
  let entries: Entry[] = []
  let first = 0
  let length = 0
  let lengthMax = 0
  let freeAtMs = Number.NEGATIVE_INFINITY
  let timer: Pick<Timer, 'cancel'> | undefined

  const head = (): Entry | undefined => {
    for (let entry = entries[first]; entry; entry = entries[first]) {
      if (!entry.gone && entry.isGone?.()) remove(entry)
      if (!entry.gone) break
      first++
    }
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
  const dueAtMs = ({ arrivedAtMs, serviceMs }: Entry) => Math.max(arrivedAtMs, freeAtMs) + serviceMs
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
    enter(served, isGone) {
      const entry = { arrivedAtMs: time.nowMs(), serviceMs: serviceMs(), served, gone: false, isGone }
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
 * Serves requests at a steady rate of real time, independent of the world's clock. Routes with `config.rateLimit: false`, which
 * operators use for monitoring, are exempt. A request whose client disconnects leaves the queue without a response. Add it before
 * all other hooks: later ones, such as the rate limit, then see only served requests.
 */
export function serveInTurn(
  app: FastifyInstance,
  {
    perSecond,
    time = realTimer,
    serviceMs,
  }: { perSecond: number; time?: ServiceTime; serviceMs?: () => number },
): ServiceQueue {
  const queue = createServiceQueue({ perSecond, time, serviceMs })
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

/** Real time in milliseconds from an arbitrary origin: for measurements only; the world must not depend on it. */
export function realTimeMs(): number {
  return performance.now()
}

/** Real time, for load tests. Does not keep the process alive. */
export const realTimer: ServiceTime = {
  nowMs: realTimeMs,
  after(delayMs, fn) {
    // Timers have whole milliseconds and may fire a fraction early.
    const timer = setTimeout(fn, Math.ceil(delayMs)).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
