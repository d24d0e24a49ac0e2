import { createWantedRooms, keepConnection, renewalMs, type Ticket } from './feed-connection.ts'
import { type FeedSocket, type OpenWire, openFeedSocket } from './feed-socket.ts'
import { coalesce } from './once.ts'
import { type AfterError, backoffMs, retry } from './retry-wait.ts'
import { createStoppableWaits, type Tools } from './time-and-chance.ts'

/**
 * The reason for a refetch: events may have been missed, or start now (`connected`, `joined`), or nothing came for a
 * while (`quiet`), or the client requested it (`requested`).
 */
export type RefetchReason = 'connected' | 'reconnected' | 'joined' | 'resync_required' | 'quiet' | 'requested'

export type FeedOptions = {
  /** At most 32; `join` and `leave` change them later. */
  rooms: readonly string[]
  /** Reads everything that the rooms cover by REST. Called again after a transient error; never twice at a time. */
  refetch: (reasons: readonly RefetchReason[]) => Promise<void> | void
  onEvent?: (event: FeedEvent) => void
  /** The latest renewal of a ticket, from its request; up to `renewSpreadShare` earlier. */
  renewAfterMs?: number
  renewSpreadShare?: number
  /** Pings the server after this long without a frame. */
  silenceMs?: number
  /** Gives up after this many failed sockets in a row. */
  failuresMax?: number
  onFrame?: (text: string, atMs: number) => void
  /** `rejected`: no ticket, or no socket; `unresponsive`: no `synchronized`. */
  onAttempt?: (outcome: 'served' | 'unresponsive' | 'rejected') => void
  /** Time from opening the socket to `synchronized`. */
  onSynchronized?: (tookMs: number) => void
}

export type KeptFeed = {
  join(room: string): void
  leave(room: string): void
  rooms(): readonly string[]
  isServed(): boolean
  /** Calls `refetch` soon, once for all calls until then. */
  refetch(): void
  close(): Promise<void>
  /** Resolves once it is closed, has given up, or access was lost. */
  ended: Promise<void>
}

const SILENCE_MS = 30_000
/** Timeouts of a server, doubled after each timeout up to a factor of eight. */
const PATIENCE_MS = { quietMs: 1000, synchronizedMs: 5000 }
const PATIENCE_MAX = 8

function patienceAfter(failures: number): typeof PATIENCE_MS {
  const times = Math.min(PATIENCE_MAX, 2 ** failures)
  return { quietMs: times * PATIENCE_MS.quietMs, synchronizedMs: times * PATIENCE_MS.synchronizedMs }
}

/**
 * Follows rooms until `close`, by the specification's connection procedure: ticket, authenticate, subscribe,
 * synchronize; renews the ticket before it expires. After a loss it backs off with full jitter, reconnects and calls
 * `refetch`. Events are hints: read the data by REST.
 */
export function keepFeed(
  options: FeedOptions,
  ports: {
    openWire: OpenWire
    /** A new ticket; undefined if none is available now. */
    takeTicket: (use: 'first' | 'renewal') => Promise<Ticket | undefined>
    /** A ProtocolConfigChanged event, even without `onEvent`. */
    onConfigChanged: (event: FeedEvent) => void
    afterError: AfterError
    tools: Tools
    reconnectMs?: typeof reconnectBackoffMs
  },
): KeptFeed {
  const { takeTicket, onConfigChanged, afterError, tools } = ports
  const {
    silenceMs = SILENCE_MS,
    failuresMax = Number.POSITIVE_INFINITY,
    onEvent,
    onFrame,
    onAttempt,
    onSynchronized,
  } = options
  const renewAfterMs = () =>
    renewalMs({
      random: tools.random,
      afterMs: options.renewAfterMs,
      spreadShare: options.renewSpreadShare,
    })
  const rooms = createWantedRooms(options.rooms)
  const reconnectWaitMs = createReconnectWait(tools, ports.reconnectMs)
  const waits = createStoppableWaits(tools)
  const isWanted = () => !waits.isStopped()
  let socket: FeedSocket | undefined
  let isServed = false
  let wasServed = false
  let synchronized = 0
  let refusedForMs = 0
  const openWire: OpenWire = (events) =>
    ports.openWire({
      ...events,
      closed(serverWaitMs = 0) {
        refusedForMs = serverWaitMs
        events.closed()
      },
    })

  const refetch = coalesce<RefetchReason>((reasons) =>
    retry(() => options.refetch(reasons), { waits, random: tools.random, afterError }),
  )
  const onText = (text: string, atMs: number) => {
    onFrame?.(text, atMs)
    readFeedMessage(text, {
      synchronized: () => void synchronized++,
      resyncRequired: () => refetch('resync_required'),
      configChanged: onConfigChanged,
      event: onEvent,
    })
  }
  const connect = async (patience: typeof PATIENCE_MS): Promise<'served' | 'unresponsive' | 'rejected'> => {
    refusedForMs = 0
    const ticket = await takeTicket('first')
    if (ticket === undefined || !isWanted()) return 'rejected'
    const openingMs = tools.nowMs()
    const opened = await openFeedSocket({ openWire, tools, onText })
    if (opened === undefined) return 'rejected'
    socket = opened
    try {
      // close() was called while it was opening.
      if (!isWanted()) return 'rejected'
      await keepConnection({
        socket: opened,
        ticket,
        rooms,
        tools,
        synchronized: () => synchronized,
        nextTicket: () => takeTicket('renewal'),
        renewAfterMs,
        silenceMs,
        ...patience,
        onServed() {
          isServed = true
          onAttempt?.('served')
          onSynchronized?.(tools.nowMs() - openingMs)
          refetch(wasServed ? 'reconnected' : 'connected')
          wasServed = true
        },
        onJoined: () => refetch('joined'),
        onQuiet: () => refetch('quiet'),
      })
      return isServed ? 'served' : 'unresponsive'
    } finally {
      isServed = false
      await opened.close()
      socket = undefined
    }
  }
  const follow = async () => {
    for (let failures = 0; isWanted() && failures < failuresMax; ) {
      const startedMs = tools.nowMs()
      const outcome = await connect(patienceAfter(failures))
      if (!isWanted()) return
      const isGood = outcome === 'served'
      if (!isGood) onAttempt?.(outcome)
      failures = isGood ? 0 : failures + 1
      await waits.wait(refusedForMs + reconnectWaitMs(isGood ? tools.nowMs() - startedMs : 0))
    }
  }
  const ended = follow()
    .catch((error: unknown) => {
      if (afterError(error) !== 'stop') throw error
    })
    .finally(waits.stop)
  return {
    join(room) {
      rooms.join(room)
      socket?.lookAgain()
    },
    leave(room) {
      rooms.leave(room)
      socket?.lookAgain()
    },
    rooms: rooms.all,
    isServed: () => isServed,
    refetch: () => refetch('requested'),
    async close() {
      waits.stop()
      await socket?.close()
      await ended
    },
    ended,
  }
}

export type FeedEvent = { type: string; data: unknown; json: unknown }

type FeedHandlers = {
  synchronized(): void
  resyncRequired(): void
  configChanged(event: FeedEvent): void
  event?: ((event: FeedEvent) => void) | undefined
}

/** Dispatches a frame. Ignores unknown controls and invalid JSON. */
function readFeedMessage(text: string, handlers: FeedHandlers): void {
  // Most frames are events that a client under load ignores: parsing each would be its main work.
  if (handlers.event === undefined && !concernsClient(text)) return
  const json = parse(text)
  if (json.control === 'synchronized') handlers.synchronized()
  if (json.control === 'resync_required') handlers.resyncRequired()
  const { type, data } = json
  if (typeof type !== 'string') return
  if (type === 'ProtocolConfigChanged') handlers.configChanged({ type, data, json })
  handlers.event?.({ type, data, json })
}

function concernsClient(text: string): boolean {
  return text.includes('"control"') || text.includes('"ProtocolConfigChanged"')
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const BASE_MS = 1000
const CAP_MS = 30_000
/** A shorter connection counts as a failure, because open, close, open, close is a loop too. */
const STABLE_MS = 10_000

/** Below 1 s, 2 s, 4 s, up to 30 s. */
export function reconnectBackoffMs(options: { attempt: number; random: () => number }): number {
  return backoffMs({ ...options, baseMs: BASE_MS, capMs: CAP_MS })
}

/** The ceiling doubles until a connection lasts. */
function createReconnectWait(
  { random }: { random: () => number },
  reconnectMs = reconnectBackoffMs,
): (servedMs: number) => number {
  let attempt = 0
  return (servedMs) => {
    if (servedMs >= STABLE_MS) attempt = 0
    return reconnectMs({ attempt: attempt++, random })
  }
}
