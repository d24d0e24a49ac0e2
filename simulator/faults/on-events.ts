import { z } from 'zod'
import type { FaultTools } from './fault-kind.ts'
import type { EventDeed, SeenEvent, SeenSocket } from './feed-seams.ts'
import { type EventWhere, eventWhereSchema, matchesClient, matchesRoom } from './feed-where.ts'
import type { Seams } from './seams.ts'

/** What faults of events have in common. */
export const eventOptions = {
  where: eventWhereSchema,
  resync: z.boolean().default(false).describe('Whether `resync_required` follows, to those whom it concerns'),
}

/** An event on its way, to all in its room or, where clients are named, to one socket. */
export type Passing = {
  seen: SeenEvent
  /** The room, or the socket in there: the same for all that goes there. */
  way: string
  decides(): boolean
}

/** Takes hold of the events that fit. */
export function onEvents(options: {
  where: EventWhere
  tools: Pick<FaultTools, 'decides'>
  meet(passing: Passing): EventDeed | undefined
}): Partial<Seams> {
  const { where, tools, meet } = options
  const pass = (seen: SeenEvent, socket: SeenSocket | null) => {
    const way = socket ? `${seen.room} of socket ${socket.id}` : seen.room
    return meet({
      seen,
      way,
      decides: () => tools.decides(`${seen.type} of block ${seen.block} in ${way}`),
    })
  }
  if (!where.clients)
    return { event: (seen) => (matchesRoom(where, seen.room) ? pass(seen, null) : undefined) }
  return {
    delivery: ({ socket, ...seen }) =>
      matchesRoom(where, seen.room) && matchesClient(where.clients, socket) ? pass(seen, socket) : undefined,
  }
}
