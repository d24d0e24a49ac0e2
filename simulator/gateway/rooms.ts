import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Views } from '../indexer/views/views.ts'
import type { MutantName } from '../mutants/mutants.ts'
import { parseRoom } from './events/events.ts'
import type { FeedError } from './feed-protocol.ts'

/** Who is in which room. A room exists while somebody is in it. */
export type Rooms<Member> = {
  join(room: string, member: Member): void
  leave(room: string, member: Member): void
  members(room: string): ReadonlySet<Member>
  /** How many rooms there are. */
  count(): number
}

/** Rooms without anybody in them; one that is left by all is forgotten. */
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
    members: (room) => byName.get(room) ?? NOBODY,
    count: () => byName.size,
  }
}

const NOBODY: ReadonlySet<never> = new Set()

/** The rooms of one connection (specification, Events: Rooms and event types). */
type Membership = {
  names(): ReadonlySet<string>
  /** Why the room cannot be joined; undefined where it can. `address` is the wallet that asks. */
  refusalOf(name: string, address: string | undefined): FeedError | undefined
  join(name: string): void
  leave(name: string): void
  leaveAll(): void
}

/** The membership of one connection, which is in no room yet. */
export function createMembership<Member>(options: {
  /** Asked when a room is joined or left. */
  member: () => Member
  rooms: Rooms<Member>
  views: Pick<Views, 'pool'>
  wire: Choices['wire']
  clock: Clock
  mutant: MutantName | null
}): Membership {
  const { member, rooms, views, wire, clock, mutant } = options
  const joined = new Set<string>()
  /** How many rooms were ever joined. */
  let places = 0
  const roomsMax = (mutant && ROOMS_OF_MUTANT[mutant]) ?? LIMITS.wsRoomsPerConnection

  const isPool = (shownKey: string): boolean => {
    const key = wire.poolKey.decode(shownKey)
    return key !== undefined && views.pool(key) !== undefined
  }
  const joinIfStill = (name: string) => {
    if (joined.has(name)) rooms.join(name, member())
  }

  return {
    names: () => joined,
    refusalOf(name, address) {
      const room = parseRoom(name)
      if (!room) return 'room_unknown'
      if (room.eventType === 'BalanceChange') {
        const isOwn = wire.address.decode(room.subject) === address
        const mayJoin = isOwn ? mutant !== 'ws-own-balance-refused' : mutant === 'ws-foreign-balances'
        if (!mayJoin) return 'room_forbidden'
      } else if (room.subject && !isPool(room.subject)) return 'room_unknown'
      return (mutant === 'ws-rooms-not-freed' ? places : joined.size) < roomsMax ? undefined : 'rooms_full'
    },
    join(name) {
      joined.add(name)
      places++
      if (mutant === 'ws-sync-early' && name.startsWith('pool_stats:'))
        clock.after(JOIN_MS_OF_MUTANT, () => joinIfStill(name))
      else rooms.join(name, member())
    },
    leave(name) {
      if (mutant === 'ws-unsubscribe-ignored') return
      if (joined.delete(name)) rooms.leave(name, member())
    },
    leaveAll() {
      for (const name of joined) rooms.leave(name, member())
      joined.clear()
    },
  }
}

/** Longer than any probe takes from `synchronized` to the first events. */
const JOIN_MS_OF_MUTANT = 60_000
const ROOMS_OF_MUTANT: Partial<Record<MutantName, number>> = { 'ws-33-rooms': 33, 'ws-31-rooms': 31 }
