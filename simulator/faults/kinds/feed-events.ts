import { z } from 'zod'
import { type FaultTools, faultKind } from '../fault-kind.ts'
import type { EventDeed, Seams, SeenEvent, SeenSocket } from '../seams.ts'
import { type EventWhere, eventWhereSchema, matchesClient, matchesRoom } from '../when-and-where.ts'

/** What faults of events have in common. */
const eventOptions = {
  where: eventWhereSchema,
  resync: z.boolean().default(false).describe('Whether `resync_required` follows, to those whom it concerns'),
}

/** An event on its way, to all in its room or, where clients are named, to one socket. */
type Passing = {
  seen: SeenEvent
  /** The room, or the socket in there: the same for all that goes there. */
  way: string
  decides(): boolean
}

/** Takes hold of the events that fit. */
function onEvents(options: {
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

/** Delivery is at most once, and missed events are not replayed (specification, Events: Delivery). */
export const feedDrop = faultKind({
  name: 'feed-drop',
  summary: 'Drops events.',
  options: z.strictObject(eventOptions),
  start: ({ where, resync }, tools) =>
    onEvents({
      where,
      tools,
      meet: ({ decides }) => (decides() ? { do: 'send', afterMs: [], resync } : undefined),
    }),
})

export const feedDuplicate = faultKind({
  name: 'feed-duplicate',
  summary: 'Sends events twice.',
  breaks: 'Delivery is at most once (Events: Delivery).',
  options: z.strictObject({
    ...eventOptions,
    againAfterMs: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(0)
      .describe('How long after the first the second comes'),
  }),
  start: ({ where, resync, againAfterMs }, tools) =>
    onEvents({
      where,
      tools,
      meet: ({ decides }) => (decides() ? { do: 'send', afterMs: [0, againAfterMs], resync } : undefined),
    }),
})

/** The feed falls behind REST; later events overtake those that are late. */
export const feedLate = faultKind({
  name: 'feed-late',
  summary: 'Sends events late: REST is ahead of the feed, and later events overtake them.',
  options: z.strictObject({
    ...eventOptions,
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('How late'),
  }),
  start: ({ where, resync, delayMs }, tools) =>
    onEvents({
      where,
      tools,
      meet: ({ decides }) => (decides() ? { do: 'send', afterMs: [delayMs], resync } : undefined),
    }),
})

/** A subscription that is lost on the server, and on nobody else. */
export const feedMuteRoom = faultKind({
  name: 'feed-mute-room',
  summary:
    'Mutes rooms, each from the first event on that it acts on: the socket stays open and answers, but no event of the room comes.',
  options: z.strictObject({
    where: eventOptions.where,
    muteMs: z
      .int()
      .min(1)
      .max(24 * 60 * 60 * 1000)
      .default(300_000)
      .describe('Events come again after so long, and at the latest when the fault’s time ends'),
  }),
  start({ where, muteMs }, tools) {
    const mute = new Set<string>()
    tools.during({ begin() {}, end: () => mute.clear() })
    return onEvents({
      where,
      tools,
      meet({ way, decides }) {
        if (mute.has(way)) return LOST
        if (!decides()) return undefined
        mute.add(way)
        tools.after(muteMs, () => mute.delete(way))
        return LOST
      },
    })
  },
})

const LOST = { do: 'send', afterMs: [], resync: false } as const

export const feedReorder = faultKind({
  name: 'feed-reorder',
  summary: 'Sends events behind the next one of their room.',
  options: z.strictObject({
    ...eventOptions,
    atMostMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(5000)
      .describe('An event goes out after so long, if none has come to go ahead of it'),
  }),
  start({ where, resync, atMostMs }, tools) {
    /** Of each way, what is held there. */
    const held = new Map<string, object>()
    return onEvents({
      where,
      tools,
      meet({ way, decides }) {
        const goesAhead = held.delete(way)
        if (goesAhead || !decides()) return undefined
        const deed = { do: 'hold', atMostMs, resync } as const
        held.set(way, deed)
        tools.after(atMostMs, () => {
          if (held.get(way) === deed) held.delete(way)
        })
        return deed
      },
    })
  },
})
