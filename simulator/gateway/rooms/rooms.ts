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
