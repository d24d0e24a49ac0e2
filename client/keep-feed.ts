import { createWantedRooms, keepConnection, renewalMs, type Ticket } from './feed-connection.ts'
import { type FeedSocket, type OpenWire, openFeedSocket } from './feed-socket.ts'
import { coalesce } from './once.ts'
import { type AfterError, backoffMs, insist } from './retry-wait.ts'
import { createStoppableWaits, type Tools } from './time-and-chance.ts'

/**
 * Why to read again: events may have been missed, or are to come from here on (`connected`, `joined`), or nothing came for a
 * while, which may be so (`quiet`), or the client wants it (`asked`).
 */
export type RefetchReason = 'connected' | 'reconnected' | 'joined' | 'resync_required' | 'quiet' | 'asked'

export type FeedOptions = {
  /** At most 32; `join` and `leave` change them later. */
  rooms: readonly string[]
  /** Reads by REST all that was followed. Called again after an error that may pass; never twice at a time. */
  refetch: (reasons: readonly RefetchReason[]) => Promise<void> | void
  onEvent?: (event: FeedEvent) => void
  /** When a ticket is renewed at the latest, after it was asked for; up to `renewSpreadShare` of that earlier. */
  renewAfterMs?: number
  renewSpreadShare?: number
  /** Without a frame for so long, the server is asked whether it is there. */
  silenceMs?: number
  /** Sockets in a row that come to nothing, after which it ends. */
  failuresMax?: number
  /** Told each frame, and when it came. */
  onFrame?: (text: string, atMs: number) => void
  /** `refused`: no ticket, or no socket; `mute`: synchronize was not answered. */
  onAttempt?: (outcome: 'served' | 'mute' | 'refused') => void
  /** How long it took from opening the socket until synchronize was answered. */
  onSynchronized?: (tookMs: number) => void
}

export type KeptFeed = {
  join(room: string): void
  leave(room: string): void
  rooms(): readonly string[]
  isServed(): boolean
  /** Has `refetch` called, as after an event: soon, and once for all that ask meanwhile. */
  refetch(): void
  close(): Promise<void>
  /** Once it is closed, or given up, or the client has no business there any more. */
  ended: Promise<void>
}

const SILENCE_MS = 30_000
/** How long a server may take; one that took longer the time before gets twice as long, up to eight times. */
const PATIENCE_MS = { quietMs: 1000, synchronizedMs: 5000 }
const PATIENCE_MAX = 8

function patienceAfter(failures: number): typeof PATIENCE_MS {
  const times = Math.min(PATIENCE_MAX, 2 ** failures)
  return { quietMs: times * PATIENCE_MS.quietMs, synchronizedMs: times * PATIENCE_MS.synchronizedMs }
}

/**
 * Follows rooms until `close`, by the specification's connection procedure: a ticket, authenticate, subscribe, synchronize;
 * a new ticket before the old one ends; after a loss backoff with full jitter, all of it again, and then `refetch`. Events
 * are hints: what they tell of is to be read by REST.
 */
export function keepFeed(
  options: FeedOptions,
  ports: {
    openWire: OpenWire
    /** A fresh one; undefined: none is to be had now. */
    takeTicket: (use: 'first' | 'renewal') => Promise<Ticket | undefined>
    /** A ProtocolConfigChanged, also if nobody takes events. */
    onConfigChanged: (event: FeedEvent) => void
    afterError: AfterError
    tools: Tools
    /** How long to wait before each reconnect (default: backoff with full jitter). */
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
      closed(toldMs = 0) {
        refusedForMs = toldMs
        events.closed()
      },
    })

  const refetch = coalesce<RefetchReason>((reasons) =>
    insist(() => options.refetch(reasons), { waits, random: tools.random, afterError }),
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
  /** Opens a socket, and keeps it to its end. */
  const connect = async (patience: typeof PATIENCE_MS): Promise<'served' | 'mute' | 'refused'> => {
    refusedForMs = 0
    const ticket = await takeTicket('first')
    if (ticket === undefined || !isWanted()) return 'refused'
    const openingMs = tools.nowMs()
    const opened = await openFeedSocket({ openWire, tools, onText })
    if (opened === undefined) return 'refused'
    socket = opened
    try {
      // Told to close while it was opening.
      if (!isWanted()) return 'refused'
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
      return isServed ? 'served' : 'mute'
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
    refetch: () => refetch('asked'),
    async close() {
      waits.stop()
      await socket?.close()
      await ended
    },
    ended,
  }
}

export type FeedEvent = { type: string; data: unknown; json: unknown }

/** What a client has to act on. */
type FeedHandlers = {
  synchronized(): void
  resyncRequired(): void
  configChanged(event: FeedEvent): void
  event?: ((event: FeedEvent) => void) | undefined
}

/** Hands a frame to whom it concerns. Controls that are not known are ignored, as is what is no JSON. */
function readFeedMessage(text: string, handlers: FeedHandlers): void {
  // Most frames are events that a client under load looks into no further: parsing each would be its main work.
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

/** Empty for what is no JSON object. */
function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const BASE_MS = 1000
const CAP_MS = 30_000
/** A connection that lasted for less was none: open, close, open, close is a loop too. */
const STABLE_MS = 10_000

/** Below 1 s, 2 s, 4 s, up to 30 s. */
export function reconnectBackoffMs(options: { attempt: number; random: () => number }): number {
  return backoffMs({ ...options, baseMs: BASE_MS, capMs: CAP_MS })
}

/** How long to wait before each reconnect: the ceiling doubles until a connection lasted. */
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
