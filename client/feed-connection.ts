import { LIMITS } from '../contract/limits.ts'
import type { ClientFrame } from '../contract/schemas/wire.ts'
import type { FeedSocket } from './feed-socket.ts'
import type { Tools } from './time-and-chance.ts'

/** Valid for one authenticate frame, for 60 seconds from before it was requested. */
export type Ticket = { token: string; requestedAtMs: number }

export type ConnectionOptions = {
  socket: FeedSocket
  ticket: Ticket
  rooms: WantedRooms
  tools: Tools
  synchronized: () => number
  /** A new ticket of the same principal; undefined if none is available now. */
  nextTicket: () => Promise<Ticket | undefined>
  /** Time from the request of a ticket to the request of the next one. */
  renewAfterMs: () => number
  silenceMs: number
  /** Wait for a sign that the ticket was accepted, if the server sends none. */
  quietMs: number
  synchronizedMs: number
  /** The rooms are joined; later events are received. */
  onServed: () => void
  onJoined: () => void
  /** Nothing came for a while, but the server responds. */
  onQuiet: () => void
}

const RENEW_AGAIN_MS = 2000
/** With a margin before the ticket expires. */
const TICKET_MS = (LIMITS.wsTicketSeconds - 3) * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * One connection from its ticket to its end: authenticates, joins the rooms, synchronizes, then renews the ticket well
 * before it expires. Ends with the socket, without a new ticket, or when the server stops responding on an open socket.
 */
export async function keepConnection(options: ConnectionOptions): Promise<void> {
  await authenticate(options)
  await Promise.all([keepTicket(options), keepServed(options)])
}

async function keepServed(options: ConnectionOptions): Promise<void> {
  const keepRooms = createRoomKeeper(options)
  await keepRooms.restore()
  if (!(await synchronize(options))) return await options.socket.close()
  options.onServed()
  await Promise.all([keepRooms.untilClosed(), keepAlive(options)])
}

/**
 * Sends the ticket and waits until the server has handled it; no other frame may be sent before. The acknowledgment
 * is unspecified: any frame counts, or silence. As that frame may be an earlier greeting, a pong, which is in order,
 * must follow.
 */
async function authenticate({ socket, ticket, quietMs }: ConnectionOptions): Promise<void> {
  const before = socket.receivedCount()
  await socket.send({ action: 'authenticate', token: ticket.token })
  await socket.until(() => socket.receivedCount() > before, quietMs)
  await socket.settled(quietMs)
}

/** True if the server responds: all earlier joins are then effective. */
async function synchronize({ socket, synchronized, synchronizedMs }: ConnectionOptions): Promise<boolean> {
  const before = synchronized()
  await socket.send({ action: 'synchronize' })
  return await socket.until(() => synchronized() > before, synchronizedMs)
}

/** Renews the ticket in time; closes the socket if there is no new one. */
async function keepTicket(options: ConnectionOptions): Promise<void> {
  const { socket, tools, nextTicket, renewAfterMs } = options
  let { requestedAtMs } = options.ticket
  let renewAtMs = requestedAtMs + renewAfterMs()
  while (socket.isOpen()) {
    await socket.untilNotified(() => false, renewAtMs - tools.nowMs())
    if (!socket.isOpen()) return
    const ticket = await nextTicket()
    if (ticket !== undefined) {
      requestedAtMs = ticket.requestedAtMs
      renewAtMs = requestedAtMs + renewAfterMs()
      await socket.send({ action: 'authenticate', token: ticket.token })
    } else if (tools.nowMs() < requestedAtMs + TICKET_MS) {
      renewAtMs = tools.nowMs() + RENEW_AGAIN_MS * tools.random()
    } else await socket.close()
  }
}

function createRoomKeeper(options: ConnectionOptions) {
  const { socket, rooms, onJoined } = options
  const joined = new Set<string>()
  let restored = -1
  const isRestored = () => rooms.version() === restored
  const restore = async (): Promise<boolean> => {
    let hasJoined = false
    for (let frame = rooms.nextFrame(joined); frame && socket.isOpen(); frame = rooms.nextFrame(joined)) {
      await socket.send(frame)
      if (frame.action === 'unsubscribe') joined.delete(frame.room)
      else joined.add(frame.room)
      hasJoined ||= frame.action === 'subscribe'
    }
    restored = rooms.version()
    return hasJoined
  }
  const untilClosed = async (): Promise<void> => {
    while (socket.isOpen()) {
      await socket.untilNotified(() => !isRestored(), DAY_MS)
      if (isRestored() || !(await restore())) continue
      if (await synchronize(options)) onJoined()
      else await socket.close()
    }
  }
  return { restore, untilClosed }
}

/** Silence may be a quiet market or a dead server, so it sends a ping. */
async function keepAlive(options: ConnectionOptions): Promise<void> {
  const { socket, silenceMs, onQuiet } = options
  while (socket.isOpen()) {
    const before = socket.receivedCount()
    await socket.untilNotified(() => false, silenceMs)
    if (!socket.isOpen() || socket.receivedCount() > before) continue
    if (await synchronize(options)) onQuiet()
    else await socket.close()
  }
}

/** The rooms that a client wants, across sockets. */
type WantedRooms = {
  /** Throws a RangeError for too many rooms or a name that is too long for a frame. */
  join(room: string): void
  leave(room: string): void
  all(): readonly string[]
  version(): number
  /**
   * The next frame for a socket that has joined these rooms, leaving first to free places; undefined if nothing is
   * left to do.
   */
  nextFrame(joined: ReadonlySet<string>): RoomFrame | undefined
}

type RoomFrame = Extract<ClientFrame, { room: string }>

/** Throws a RangeError if a connection cannot hold these rooms. */
export function createWantedRooms(rooms: readonly string[]): WantedRooms {
  const wanted = new Set<string>()
  let version = 0
  const join = (room: string) => {
    if (wanted.has(room)) return
    if (wanted.size >= LIMITS.wsRoomsPerConnection)
      throw new RangeError(
        `a connection holds ${LIMITS.wsRoomsPerConnection} rooms at most: ${room} does not fit`,
      )
    if (byteLength(buildRoomFrame('unsubscribe', room)) > LIMITS.wsFrameBytesTaken)
      throw new RangeError(`a frame has at most ${LIMITS.wsFrameBytesTaken} bytes: ${room.slice(0, 40)}…`)
    wanted.add(room)
    version++
  }
  for (const room of rooms) join(room)
  return {
    join,
    leave(room) {
      if (wanted.delete(room)) version++
    },
    all: () => [...wanted],
    version: () => version,
    nextFrame(joined) {
      for (const room of joined) if (!wanted.has(room)) return buildRoomFrame('unsubscribe', room)
      for (const room of wanted) if (!joined.has(room)) return buildRoomFrame('subscribe', room)
      return undefined
    },
  }
}

function buildRoomFrame(action: RoomFrame['action'], room: string): RoomFrame {
  return { action, room }
}

function byteLength(frame: ClientFrame): number {
  return encodeURIComponent(JSON.stringify(frame)).replace(/%../g, '_').length
}

const WHOLE_TICKET_MS = LIMITS.wsTicketSeconds * 1000
/** Leaves 20 s for a ticket that is not available at once. */
const AFTER_MS = 40_000
const SPREAD_SHARE = 0.25

/**
 * Time from the request of a ticket to its renewal: well before it expires, and spread over clients. A failed renewal
 * is repeated while the ticket is valid.
 */
export function renewalMs(options: {
  random: () => number
  afterMs?: number | undefined
  spreadShare?: number | undefined
}): number {
  const { random, afterMs = AFTER_MS, spreadShare = SPREAD_SHARE } = options
  return Math.min(afterMs, WHOLE_TICKET_MS - 1) * (1 - spreadShare * random())
}
