/**
 * Puts a deviation between the gateway and each socket: frames, messages, closes, rooms, tickets and timers pass
 * through it.
 */
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Connection } from '../gateway/socket/connection.ts'
import { parseFrame } from '../gateway/socket/frames.ts'
import type { Wired, Wiring } from '../gateway/socket/open-socket.ts'
import { type Frame, messageFrame } from '../gateway/socket/outbox.ts'
import type { DeviatingSocket, Deviation, Hub, Message, SocketDeviation } from './deviation.ts'

type Line = Wired & {
  socket: Wired['socket']
  seen: DeviatingSocket
  own: SocketDeviation
  hub: Hub
  /** The deviation suppressed its close. */
  isLeftOpen: boolean
}

/** Returns undefined if the deviation leaves the feed unchanged. */
export function deviateFeed(
  deviation: Deviation | undefined,
  { choices, clock }: { choices: Choices; clock: Clock },
): Wiring | undefined {
  const make = deviation?.socket
  if (!make) return undefined
  const hub: Hub = { history: [], sockets: [], restarted: false, memory: new Map() }
  const lines = new Map<number, Line>()

  return {
    wire(id, wired, handshake) {
      const seen = freshSocket({ number: hub.sockets.length + 1, ...handshake, clock, choices })
      hub.sockets.push(seen)
      const line = { ...wired, seen, own: make(seen, hub), hub, isLeftOpen: false }
      lines.set(id, line)
      return {
        socket: closing(line),
        stream: sending(line),
        auth: redeeming(line),
        clock: timing(line),
        rooms: joining(line),
      }
    },
    attend(connection) {
      const line = lines.get(connection.id)
      if (!line) return connection
      if (line.own.first) connection.receive(encodeFrame(line.own.first), { binary: false })
      return receiving(connection, line)
    },
  }
}

function freshSocket(
  made: Pick<DeviatingSocket, 'number' | 'authorization' | 'cookie' | 'clock' | 'choices'>,
): DeviatingSocket {
  const counts = { received: new Map<string, number>(), sent: new Map<string, number>() }
  return { ...made, ...counts, openedAtMs: made.clock.nowMs(), address: null, rooms: new Set() }
}

/** As: the library's socket has overloads, of which connections use these. */
function closing(line: Line): Wired['socket'] {
  const { socket, own, hub } = line
  const wrapped = {
    get readyState() {
      return socket.readyState
    },
    terminate: () => socket.terminate(),
    ping: () => socket.ping(),
    pong: (bytes: Buffer) => socket.pong(bytes),
    close(code: number, reason: string) {
      if (code === RESTARTED) hub.restarted = true
      const close = own.close ? own.close({ code, reason }) : { code, reason }
      if (close === 'cut') socket.terminate()
      else if (close) socket.close(close.code, close.reason)
      else line.isLeftOpen = true
    },
  }
  return wrapped as Wired['socket']
}

function sending({ stream, clock, own, seen, hub }: Line): Wired['stream'] {
  return {
    get writableLength() {
      return stream.writableLength
    },
    cork: () => stream.cork(),
    uncork: () => stream.uncork(),
    once: (event, drained) => stream.once(event, drained),
    write(frame) {
      const message = parseMessage(frame)
      count(seen.sent, String(message.type ?? message.control))
      if (message.type !== undefined) hub.history.push(message)
      if (hub.history.length > HISTORY_MAX) hub.history.shift()
      const action = own.message?.(message)
      if (action === undefined) return stream.write(frame)
      if ('afterMs' in action) return clock.after(action.afterMs, () => stream.write(frame))
      for (const one of action) stream.write(changedFrame(one, frame))
    },
  }
}

function redeeming({ auth, own, seen }: Line): Wired['auth'] {
  return {
    redeemTicket(token, isKnown) {
      const known = auth.redeemTicket(token, isKnown)
      const ticket = own.ticket ? own.ticket(known, token) : known
      seen.address ??= ticket?.address ?? null
      return ticket
    },
  }
}

function timing({ clock, own: { timerMs } }: Line): Clock {
  if (!timerMs) return clock
  return { ...clock, after: (ms, run) => clock.after(timerMs(ms), run) }
}

function joining({ rooms, own, seen, clock, stream }: Line): Wired['rooms'] {
  const enter = (room: string, member: Connection) => {
    for (const joined of own.join?.(room) ?? [room]) rooms.join(joined, member)
    for (const message of own.joined?.(room) ?? []) stream.write(messageFrame(message))
  }
  return {
    ...rooms,
    join(room, member) {
      seen.rooms.add(room)
      const ms = own.joinMs?.(room) ?? 0
      if (ms === 0) enter(room, member)
      else clock.after(ms, () => seen.rooms.has(room) && enter(room, member))
    },
    leave(room, member) {
      if (own.leaves && !own.leaves(room)) return
      seen.rooms.delete(room)
      for (const joined of own.join?.(room) ?? [room]) rooms.leave(joined, member)
    },
  }
}

function receiving(connection: Connection, line: Line): Connection {
  const { socket, own, seen, clock, rooms, stream } = line
  const receive: Connection['receive'] = (bytes, options) => {
    const frame = options.binary ? undefined : parseFrame(bytes)
    if (!frame) return connection.receive(bytes, options)
    count(seen.received, frame.action)
    const action = own.frame?.({ ...frame, bytes: bytes.length, characters: String(bytes).length })
    if (action === undefined) connection.receive(bytes, options)
    else if (action === 'cut') connection.cut()
    else if (action === 'drop') return
    else if ('close' in action) connection.end(action.close)
    else if ('joins' in action) rooms.join(action.joins, connection)
    else if ('afterMs' in action) clock.after(action.afterMs, () => connection.receive(bytes, options))
    else if ('respond' in action) for (const message of action.respond) stream.write(messageFrame(message))
    else connection.receive(encodeFrame(action.replaceWith), options)
  }
  // A closed connection ignores pings, but a socket that the deviation keeps open must respond to them.
  const receivePing: Connection['receivePing'] = (bytes) => {
    connection.receivePing(bytes)
    if (line.isLeftOpen) socket.pong(bytes)
  }
  return { ...connection, receive, receivePing }
}

function encodeFrame(fields: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify(fields))
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Keeps the revision of the frame that it replaces. */
function changedFrame(message: Message, replaced: Frame): Frame {
  const { revision } = replaced
  const announces = revision !== undefined && message.type === 'ProtocolConfigChanged'
  return Object.assign(messageFrame(message), announces && { revision })
}

/** The gateway sends whole, unmasked text frames (gateway/socket/outbox.ts). */
function parseMessage(frame: Buffer): Message {
  const length = frame.readUInt8(1)
  const start = length < 126 ? 2 : length === 126 ? 4 : 10
  return JSON.parse(frame.subarray(start).toString())
}

const HISTORY_MAX = 4000
/** The code of a service restart (specification, Events: Delivery). */
const RESTARTED = 1012
