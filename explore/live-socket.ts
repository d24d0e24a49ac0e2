/** A socket of a sequence: counts the events of each room, and waits for controls and pongs. */
import { at } from '../client/exchange.ts'
import type { Choices } from '../contract/profile.ts'
import { findEventPath, ROOM_EVENTS } from '../contract/room-events.ts'
import type { ClientFrame } from '../contract/schemas/wire.ts'
import type { ExploreSocket, ExploreTarget } from './target.ts'

export type LiveSocket = {
  /** Returns the frame's place among those of this socket. */
  send(frame: ClientFrame): number
  /** True if `synchronized` came in time. */
  synchronize(): Promise<boolean>
  /** Waits for a pong: earlier frames have arrived by then. False on timeout or close. */
  settle(): Promise<boolean>
  /** Events of each room so far. */
  counts(): ReadonlyMap<string, number>
  /** How often the exchange said that updates may have been missed. */
  resyncs(): number
  /** Frames and pings that were sent within the last minute. */
  recentlySent(): number
  closeCode(): number | undefined
  close(): void
  /** Places of rooms that the client has joined, as far as it knows. */
  joined: Set<number>
}

/** Clocks differ. */
const MINUTE_MS = 61_000
const TYPE_ROOMS = new Map(Object.entries(ROOM_EVENTS).map(([room, type]) => [type as string, room]))

/** Returns null if the handshake fails. */
export async function openLiveSocket(
  target: Pick<ExploreTarget, 'openSocket' | 'profile' | 'responseMs' | 'nowMs' | 'waits'>,
): Promise<LiveSocket | null> {
  const { choices } = target.profile
  const counts = new Map<string, number>()
  const waits = new Set<() => void>()
  let synchronized = 0
  let resyncs = 0
  let pongs = 0
  let pinged = 0
  let closeCode: number | undefined
  let sent = 0
  let sentMs: number[] = []
  const wake = () => {
    for (const look of [...waits]) look()
  }
  const until = (done: () => boolean) => {
    const arrived = new Promise<boolean>((resolve) => {
      const end = (value: boolean) => {
        clearTimeout(timer)
        waits.delete(look)
        resolve(value)
      }
      const look = () => {
        if (done()) end(true)
        else if (closeCode !== undefined) end(false)
      }
      const timer = setTimeout(() => end(false), target.responseMs)
      waits.add(look)
      look()
    })
    return target.waits?.during('sockets', arrived) ?? arrived
  }
  const recentlySent = () => {
    const nowMs = target.nowMs()
    sentMs = sentMs.filter((atMs) => atMs > nowMs - MINUTE_MS)
    return sentMs.length
  }
  const socket: ExploreSocket | null = await target.openSocket({
    received(text) {
      const frame = parseFrame(text)
      if (at(frame, 'control') === 'synchronized') synchronized++
      if (at(frame, 'control') === 'resync_required') resyncs++
      const room = findRoom(frame, choices)
      if (room !== undefined) counts.set(room, (counts.get(room) ?? 0) + 1)
      wake()
    },
    closed(code) {
      closeCode ??= code
      wake()
    },
    pong() {
      pongs++
      wake()
    },
  })
  if (socket === null) return null
  const live: LiveSocket = {
    joined: new Set(),
    send(frame) {
      if (closeCode === undefined) socket.send(JSON.stringify(frame))
      sentMs.push(target.nowMs())
      return ++sent
    },
    synchronize() {
      // One response may be to several frames.
      const wanted = synchronized + 1
      live.send({ action: 'synchronize' })
      return until(() => synchronized >= wanted)
    },
    settle() {
      const wanted = ++pinged
      if (closeCode === undefined) socket.ping()
      sentMs.push(target.nowMs())
      return until(() => pongs >= wanted)
    },
    counts: () => counts,
    resyncs: () => resyncs,
    recentlySent,
    closeCode: () => closeCode,
    close: () => socket.close(),
  }
  return live
}

function parseFrame(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The room that an event belongs to; undefined if it does not say which. */
function findRoom(frame: unknown, choices: Choices): string | undefined {
  const type = String(at(frame, 'type'))
  const room = TYPE_ROOMS.get(type)
  if (room === undefined || !room.endsWith(':')) return room
  const paths = room === 'balances:' ? choices.events.address : choices.events.pool
  const subject = at(frame, findEventPath(paths, type))
  return typeof subject === 'string' ? room + subject : undefined
}
