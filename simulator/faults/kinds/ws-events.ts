import { z } from 'zod'
import { type FaultTools, faultKind } from '../fault-kind.ts'
import type { EventAction, EventContext, Hooks, SocketContext } from '../hooks.ts'
import { type EventWhere, eventWhereSchema, matchesClient, matchesRoom } from '../when-and-where.ts'

const eventOptions = {
  where: eventWhereSchema,
  resync: z.boolean().default(false).describe('Send `resync_required` afterwards to the sockets affected'),
}

/** An event for all sockets in its room or, if clients are given, for one of them. */
type MatchedEvent = {
  context: EventContext
  /** Identifies the destination: the room, or one socket in it. */
  way: string
  decides(): boolean
}

function onEvents(options: {
  where: EventWhere
  tools: Pick<FaultTools, 'decides'>
  decide(match: MatchedEvent): EventAction | undefined
}): Partial<Hooks> {
  const { where, tools, decide: meet } = options
  const pass = (context: EventContext, socket: SocketContext | null) => {
    const way = socket ? `${context.room} of socket ${socket.id}` : context.room
    return meet({
      context,
      way,
      decides: () => tools.decides(`${context.type} of block ${context.block} in ${way}`),
    })
  }
  if (!where.clients)
    return { event: (context) => (matchesRoom(where, context.room) ? pass(context, null) : undefined) }
  return {
    delivery: ({ socket, ...context }) =>
      matchesRoom(where, context.room) && matchesClient(where.clients, socket)
        ? pass(context, socket)
        : undefined,
  }
}

/** Delivery is at most once, and missed events are not replayed (specification, Events: Delivery). */
export const wsDrop = faultKind({
  name: 'ws-drop',
  summary: 'Drops events.',
  options: z.strictObject(eventOptions),
  start: ({ where, resync }, tools) =>
    onEvents({
      where,
      tools,
      decide: ({ decides }) => (decides() ? { do: 'send', afterMs: [], resync } : undefined),
    }),
})

export const wsDuplicate = faultKind({
  name: 'ws-duplicate',
  summary: 'Sends events twice.',
  breaks: 'Delivery is at most once (Events: Delivery).',
  options: z.strictObject({
    ...eventOptions,
    againAfterMs: z.int().min(0).max(3_600_000).default(0).describe('Delay between the event and its copy'),
  }),
  start: ({ where, resync, againAfterMs }, tools) =>
    onEvents({
      where,
      tools,
      decide: ({ decides }) => (decides() ? { do: 'send', afterMs: [0, againAfterMs], resync } : undefined),
    }),
})

export const wsDelay = faultKind({
  name: 'ws-delay',
  summary: 'Delays events: REST is ahead of the feed, and later events overtake the delayed ones.',
  options: z.strictObject({
    ...eventOptions,
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('Delay of each event'),
  }),
  start: ({ where, resync, delayMs }, tools) =>
    onEvents({
      where,
      tools,
      decide: ({ decides }) => (decides() ? { do: 'send', afterMs: [delayMs], resync } : undefined),
    }),
})

/** The server loses a subscription, and the client is not notified. */
export const wsRoomBlackhole = faultKind({
  name: 'ws-room-blackhole',
  summary:
    'Mutes rooms, each from the first event that triggers it: the socket stays open and responds, but no event of the room comes.',
  options: z.strictObject({
    where: eventOptions.where,
    muteMs: z
      .int()
      .min(1)
      .max(24 * 60 * 60 * 1000)
      .default(300_000)
      .describe('How long a room stays mute; it also ends with the fault'),
  }),
  start({ where, muteMs }, tools) {
    const mute = new Set<string>()
    tools.during({ begin() {}, end: () => mute.clear() })
    return onEvents({
      where,
      tools,
      decide({ way, decides }) {
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

export const wsReorder = faultKind({
  name: 'ws-reorder',
  summary: 'Sends events after the next event of their room.',
  options: z.strictObject({
    ...eventOptions,
    atMostMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(5000)
      .describe('Longest wait for the next event before the held one is sent'),
  }),
  start({ where, resync, atMostMs }, tools) {
    /** The held event of each destination. */
    const held = new Map<string, object>()
    return onEvents({
      where,
      tools,
      decide({ way, decides }) {
        const goesAhead = held.delete(way)
        if (goesAhead || !decides()) return undefined
        const action = { do: 'hold', atMostMs, resync } as const
        held.set(way, action)
        tools.after(atMostMs, () => {
          if (held.get(way) === action) held.delete(way)
        })
        return action
      },
    })
  },
})
