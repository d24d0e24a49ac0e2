import { LIMITS } from '../contract/limits.ts'
import type { ClientFrame } from '../contract/schemas/feed.ts'
import type { FeedSocket } from './feed-socket.ts'
import type { Tools } from './time-and-chance.ts'

/** Good for one authenticate frame of the feed, for 60 seconds from before it was requested. */
export type Ticket = { token: string; askedAtMs: number }

export type ConnectionOptions = {
  socket: FeedSocket
  ticket: Ticket
  rooms: WantedRooms
  tools: Tools
  /** How many times the server has said `synchronized`. */
  synchronized: () => number
  /** A fresh one, of the same principal; undefined: none is to be had now. */
  nextTicket: () => Promise<Ticket | undefined>
  /** How long after a ticket was asked for the next one is. */
  renewAfterMs: () => number
  silenceMs: number
  /** How long to wait for a word that the ticket was taken, where the server says none. */
  quietMs: number
  /** How long `synchronized` may take. */
  synchronizedMs: number
  /** The rooms are joined, and what comes from here on is heard. */
  onServed: () => void
  onJoined: () => void
  /** Nothing came for a while, and the server is there all the same. */
  onQuiet: () => void
}

const RENEW_AGAIN_MS = 2000
/** A ticket is not used up to its last moment. */
const TICKET_MS = (LIMITS.wsTicketSeconds - 3) * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * One connection from its ticket to its end: authenticates, joins the rooms, synchronizes; then keeps it, by new tickets
 * well before the old ones end. It ends with the socket, where no ticket is to be had, and where the server does not answer
 * any more though the socket is open.
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
 * Sends the ticket, and waits until the server has dealt with it: nothing else may be sent before. How it says so is not
 * stated: any frame will do, or quiet. That frame may be a greeting which was on its way, so an answer to a ping, which comes
 * in order, has to follow.
 */
async function authenticate({ socket, ticket, quietMs }: ConnectionOptions): Promise<void> {
  const before = socket.heard()
  await socket.send({ action: 'authenticate', token: ticket.token })
  await socket.until(() => socket.heard() > before, quietMs)
  await socket.settled(quietMs)
}

/** Whether the server answers: all that was joined before is active then. */
async function synchronize({ socket, synchronized, synchronizedMs }: ConnectionOptions): Promise<boolean> {
  const before = synchronized()
  await socket.send({ action: 'synchronize' })
  return await socket.until(() => synchronized() > before, synchronizedMs)
}

/** Renews with a new ticket in time; closes the socket where there is none to be had. */
async function keepTicket(options: ConnectionOptions): Promise<void> {
  const { socket, tools, nextTicket, renewAfterMs } = options
  let { askedAtMs } = options.ticket
  let renewAtMs = askedAtMs + renewAfterMs()
  while (socket.isOpen()) {
    await socket.untilTold(() => false, renewAtMs - tools.nowMs())
    if (!socket.isOpen()) return
    const ticket = await nextTicket()
    if (ticket !== undefined) {
      askedAtMs = ticket.askedAtMs
      renewAtMs = askedAtMs + renewAfterMs()
      await socket.send({ action: 'authenticate', token: ticket.token })
    } else if (tools.nowMs() < askedAtMs + TICKET_MS) {
      renewAtMs = tools.nowMs() + RENEW_AGAIN_MS * tools.random()
    } else await socket.close()
  }
}

/** Makes what the socket has joined what the client wants, at first and whenever that changes. */
function createRoomKeeper(options: ConnectionOptions) {
  const { socket, rooms, onJoined } = options
  const joined = new Set<string>()
  let restored = -1
  const isRestored = () => rooms.version() === restored
  /** Whether it joined any. */
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
      await socket.untilTold(() => !isRestored(), DAY_MS)
      if (isRestored() || !(await restore())) continue
      if (await synchronize(options)) onJoined()
      else await socket.close()
    }
  }
  return { restore, untilClosed }
}

/** Silence may be a quiet market, or a server that is there no more: it is asked. */
async function keepAlive(options: ConnectionOptions): Promise<void> {
  const { socket, silenceMs, onQuiet } = options
  while (socket.isOpen()) {
    const before = socket.heard()
    await socket.untilTold(() => false, silenceMs)
    if (!socket.isOpen() || socket.heard() > before) continue
    if (await synchronize(options)) onQuiet()
    else await socket.close()
  }
}

/** The rooms that a client wants, whichever socket it has at the moment. */
type WantedRooms = {
  /** Throws RangeError for more rooms than a connection holds, or a name that no frame holds. */
  join(room: string): void
  leave(room: string): void
  all(): readonly string[]
  /** Another one after each change. */
  version(): number
  /** The next frame for a socket that has joined those, first what frees a place; undefined: it has what is wanted. */
  nextFrame(joined: ReadonlySet<string>): RoomFrame | undefined
}

type RoomFrame = Extract<ClientFrame, { room: string }>

/** The rooms to begin with. Throws a RangeError where they are more than one connection may hold. */
export function createWantedRooms(rooms: readonly string[]): WantedRooms {
  const wanted = new Set<string>()
  let version = 0
  const join = (room: string) => {
    if (wanted.has(room)) return
    if (wanted.size >= LIMITS.wsRoomsPerConnection)
      throw new RangeError(`a connection holds ${LIMITS.wsRoomsPerConnection} rooms: no place for ${room}`)
    if (byteLength(frameOf('unsubscribe', room)) > LIMITS.wsFrameBytesTaken)
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
      for (const room of joined) if (!wanted.has(room)) return frameOf('unsubscribe', room)
      for (const room of wanted) if (!joined.has(room)) return frameOf('subscribe', room)
      return undefined
    },
  }
}

function frameOf(action: RoomFrame['action'], room: string): RoomFrame {
  return { action, room }
}

/** In UTF-8. */
function byteLength(frame: ClientFrame): number {
  return encodeURIComponent(JSON.stringify(frame)).replace(/%../g, '_').length
}

const WHOLE_TICKET_MS = LIMITS.wsTicketSeconds * 1000
/** Leaves 20 s for a ticket that is not to be had at once. */
const AFTER_MS = 40_000
const SPREAD_SHARE = 0.25

/**
 * How long after a ticket was asked for the next one is: well before its end, and not all clients at once. A renewal that
 * failed is tried again while the ticket lives.
 */
export function renewalMs(options: {
  random: () => number
  /** At the latest. */
  afterMs?: number | undefined
  spreadShare?: number | undefined
}): number {
  const { random, afterMs = AFTER_MS, spreadShare = SPREAD_SHARE } = options
  return Math.min(afterMs, WHOLE_TICKET_MS - 1) * (1 - spreadShare * random())
}
