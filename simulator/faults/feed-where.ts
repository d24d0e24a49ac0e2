import { z } from 'zod'
import type { SeenSocket } from './feed-seams.ts'
import { clients, globs, matchesAny } from './where.ts'

/** Which events: all where nothing is said. */
export const eventWhereSchema = z
  .strictObject({
    rooms: globs.optional().describe('Such as `trades:*`; `*` stands for any text'),
    clients: clients.describe('Each of their sockets is then decided on for itself; else an event for all'),
  })
  .prefault({})

/** Which open sockets: all where nothing is said. */
export const socketWhereSchema = z
  .strictObject({
    rooms: globs.optional().describe('Those that are in such a room: `trades:*`; `*` stands for any text'),
    nodes: z.array(z.int().min(1).max(16)).min(1).optional().describe('Gateway nodes, from 1'),
    clients,
  })
  .prefault({})

/** Which upgrades: nothing else is known of them. */
export const upgradeWhereSchema = z
  .strictObject({
    userAgents: globs.optional().describe('`User-Agent` headers; `*` stands for any text'),
  })
  .prefault({})

export type EventWhere = z.output<typeof eventWhereSchema>
export type SocketWhere = z.output<typeof socketWhereSchema>

/** Whether the room is among those named; all are where none is. */
export function matchesRoom({ rooms }: Pick<EventWhere, 'rooms'>, room: string): boolean {
  return rooms === undefined || matchesAny(rooms, room)
}

/** Whether the socket is one of those named: by one of its rooms, and by who holds it. */
export function matchesSocket({ rooms, nodes, clients: who }: SocketWhere, socket: SeenSocket): boolean {
  if (nodes && !nodes.includes(socket.node)) return false
  if (rooms && !socket.rooms.some((room) => matchesAny(rooms, room))) return false
  return matchesClient(who, socket)
}

/** Whether somebody is one of those named, by wallet and by `User-Agent`. */
export function matchesClient(
  who: SocketWhere['clients'],
  { address, userAgent }: Pick<SeenSocket, 'address' | 'userAgent'>,
): boolean {
  if (who?.addresses && !(address !== null && matchesAny(who.addresses, address))) return false
  return who?.userAgents === undefined || matchesAny(who.userAgents, userAgent)
}
