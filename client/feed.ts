import type { Conduct } from './conduct.ts'
import type { Ticket } from './exchange.ts'
import { type FeedEvent, openFeedSocket } from './feed-socket.ts'
import { isFinal } from './send.ts'
import { oneAtATime, type Timers } from './timers.ts'

/** A connection that stood this long was a good one: the next does not wait for what went wrong before it. */
const STEADY_MS = 10_000

export type Feed = {
  /** Ends the connection, and begins anew with another. */
  restart(why?: unknown): void
  close(): void
}

/**
 * The live feed: one socket after another, always authenticated, always in the same rooms. `onRefetch` is called once the
 * rooms are joined and whenever events may have been missed: REST is the source of truth, so all that depends on the feed
 * is to be loaded anew. Where that fails, all begins anew: without a snapshot the events are worth nothing.
 */
export function openFeed(options: {
  url: string
  headers: Record<string, string>
  rooms: readonly string[]
  /** Gets a fresh one. */
  ticket: () => Promise<Ticket>
  timers: Timers
  random: () => number
  conduct: Conduct
  onEvent: (event: FeedEvent) => void
  onRefetch: () => Promise<void>
  /** No other ticket is to be had. */
  onStop: (error: unknown) => void
}): Feed {
  const { ticket, timers, random, conduct, onEvent } = options
  const rooms = conduct.roomsToJoin(options.rooms)
  let last: Ticket | undefined
  let attempt = 0
  let isReconnect = false
  let isClosed = false
  let endSocket = () => {}

  const stop = (error: unknown) => {
    if (isClosed) return
    close()
    options.onStop(error)
  }
  const close = () => {
    isClosed = true
    endSocket()
  }
  const beginAnew = (error?: unknown) => {
    if (isFinal(error)) stop(error)
    else endSocket()
  }
  const refetch = oneAtATime(options.onRefetch)
  const getTicket = async (isRenewal: boolean) => {
    last = await conduct.ticketFor({ fresh: ticket, last, isRenewal })
    return last
  }
  const connectLater = (leastMs = 0) => {
    const delayMs = leastMs + conduct.reconnectDelayMs({ attempt: attempt++, random })
    timers.after(delayMs, () => void connect())
  }

  const connect = async () => {
    if (isClosed) return
    try {
      follow(await getTicket(false))
    } catch (error) {
      if (isFinal(error)) stop(error)
      else connectLater()
    }
  }
  const follow = (first: Ticket) => {
    if (isClosed) return
    let readyAtMs = Number.POSITIVE_INFINITY
    const refetchAt = (occasion: 'start' | 'reconnect' | 'resync') => {
      if (conduct.refetchesAt(occasion)) refetch().catch(beginAnew)
    }
    const socket = openFeedSocket({
      url: options.url,
      headers: options.headers,
      ticket: first,
      rooms,
      isReconnect,
      timers,
      conduct,
      onReady() {
        readyAtMs = timers.nowMs()
        refetchAt(isReconnect ? 'reconnect' : 'start')
        isReconnect = true
      },
      onMissed: () => refetchAt('resync'),
      onEvent,
      onEnd(retryAfterMs) {
        stopRenewals()
        endSocket = () => {}
        if (timers.nowMs() - readyAtMs >= STEADY_MS) attempt = 0
        if (!isClosed) connectLater(retryAfterMs)
      },
    })
    endSocket = socket.end
    const stopRenewals = keepTicket({
      timers,
      conduct,
      first,
      renewed: () => getTicket(true),
      send: socket.renew,
      giveUp: beginAnew,
    })
  }

  void connect()
  return { restart: beginAnew, close }
}

/**
 * Renews a connection's ticket, again and again, until what it returns is called. Half of a ticket's life is left for
 * getting another, which may take several tries. Without one the connection is given up before it is cut off.
 */
export function keepTicket(options: {
  timers: Timers
  conduct: Pick<Conduct, 'ticketTimes'>
  first: Ticket
  renewed: (last: Ticket) => Promise<Ticket>
  send: (ticket: Ticket) => void
  giveUp: (why?: unknown) => void
}): () => void {
  const { timers, renewed, send, giveUp } = options
  const { renewAfterMs, giveUpAfterMs } = options.conduct.ticketTimes
  let cancel = () => {}
  let isStopped = false

  const keep = (ticket: Ticket) => {
    cancel()
    const ageMs = timers.nowMs() - ticket.askedAtMs
    const end = timers.after(giveUpAfterMs - ageMs, () => giveUp())
    const renewal = timers.after(renewAfterMs - ageMs, () => renew(ticket))
    cancel = () => {
      end.cancel()
      renewal.cancel()
    }
  }
  const renew = async (last: Ticket) => {
    try {
      const ticket = await renewed(last)
      if (isStopped) return
      send(ticket)
      keep(ticket)
    } catch (error) {
      if (!isStopped) giveUp(error)
    }
  }
  keep(options.first)
  return () => {
    isStopped = true
    cancel()
  }
}
