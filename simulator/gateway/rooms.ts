import type { Choices } from '../choices/choices.ts'
import type { Views } from '../indexer/views/views.ts'
import { parseRoom } from './events/events.ts'
import type { FeedError } from './feed-protocol.ts'

/** Members of rooms. A room exists while it has members. */
export type Rooms<Member> = {
  join(room: string, member: Member): void
  leave(room: string, member: Member): void
  members(room: string): ReadonlySet<Member>
  count(): number
}

export function createRooms<Member>(): Rooms<Member> {
  const byName = new Map<string, Set<Member>>()
  return {
    join(room, member) {
      const members = byName.get(room)
      if (members) members.add(member)
      else byName.set(room, new Set([member]))
    },
    leave(room, member) {
      const members = byName.get(room)
      members?.delete(member)
      if (members?.size === 0) byName.delete(room)
    },
    members: (room) => byName.get(room) ?? NO_MEMBERS,
    count: () => byName.size,
  }
}

const NO_MEMBERS: ReadonlySet<never> = new Set()

/** The rooms of one connection (specification, Events: Rooms and event types). */
type Membership = {
  names(): ReadonlySet<string>
  /** The error if this wallet cannot join the room, else undefined. */
  findJoinError(name: string, address: string | undefined): FeedError | undefined
  join(name: string): void
  leave(name: string): void
  leaveAll(): void
}

export function createMembership<Member>(options: {
  /** Called when a room is joined or left. */
  member: () => Member
  rooms: Rooms<Member>
  views: Pick<Views, 'pool'>
  wire: Choices['wire']
  roomsMax: number
}): Membership {
  const { member, rooms, views, wire, roomsMax } = options
  const joined = new Set<string>()

  const isPool = (shownKey: string): boolean => {
    const key = wire.poolKey.decode(shownKey)
    return key !== undefined && views.pool(key) !== undefined
  }

  return {
    names: () => joined,
    findJoinError(name, address) {
      const room = parseRoom(name)
      if (!room) return 'room_unknown'
      if (room.eventType === 'BalanceChange') {
        if (wire.address.decode(room.subject) !== address) return 'room_forbidden'
      } else if (room.subject && !isPool(room.subject)) return 'room_unknown'
      return joined.size < roomsMax ? undefined : 'rooms_full'
    },
    join(name) {
      joined.add(name)
      rooms.join(name, member())
    },
    leave(name) {
      if (joined.delete(name)) rooms.leave(name, member())
    },
    leaveAll() {
      for (const name of joined) rooms.leave(name, member())
      joined.clear()
    },
  }
}
