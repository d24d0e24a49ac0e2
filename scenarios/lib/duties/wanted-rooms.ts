import { LIMITS } from '../../../contract/limits.ts'
import type { ClientFrame } from '../../../contract/schemas/feed.ts'

/** The rooms that a client wants, whichever socket it has at the moment. */
export type WantedRooms = {
  /** Throws RangeError for more rooms than a connection holds, or a name that no frame holds. */
  join(room: string): void
  leave(room: string): void
  all(): readonly string[]
  /** Another one after each change. */
  version(): number
  /** The next frame for a socket that has joined those, first what frees a place; undefined: it has what is wanted. */
  nextFrame(joined: ReadonlySet<string>): RoomFrame | undefined
}

export type RoomFrame = Extract<ClientFrame, { room: string }>

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
