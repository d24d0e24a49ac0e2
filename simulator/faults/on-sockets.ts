import { z } from 'zod'
import type { FaultTools } from './fault-kind.ts'
import { matchesSocket, socketWhereSchema } from './feed-where.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** What faults that come over open sockets in their own time have in common. */
export const scheduleOptions = {
  where: socketWhereSchema,
  count: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('So many of the sockets that fit, drawn each time; all where it is left out'),
  everyMs: z
    .int()
    .min(100)
    .max(DAY_MS)
    .optional()
    .describe('Again every so long, until its time ends; once where it is left out'),
  staggerMs: z
    .int()
    .min(0)
    .max(DAY_MS)
    .default(0)
    .describe('Evenly over so long: the first socket at once, the last one at the end'),
}

export type Schedule = z.output<z.ZodObject<typeof scheduleOptions>>

/**
 * Decides on the sockets that are open when the fault’s time begins, and again every so long; `act` gets those that it
 * acts on.
 */
export function onSockets(options: {
  schedule: Schedule
  tools: FaultTools
  act(socketId: number): void
  /** Once the fault’s time is over. */
  end?: () => void
}): void {
  const { schedule, tools, act, end } = options
  const { where, count, everyMs, staggerMs } = schedule
  let isOver = false

  const run = () => {
    if (isOver) return
    const fitting = tools.feed.sockets().filter((socket) => matchesSocket(where, socket))
    const drawn = count === undefined ? fitting : draw(fitting, count, tools.stream)
    const acting = drawn.filter(({ id }) => tools.decides(`socket ${id}`))
    const apartMs = staggerMs / Math.max(1, acting.length - 1)
    for (const [place, { id }] of acting.entries()) {
      if (place === 0 || staggerMs === 0) act(id)
      else tools.after(Math.round(place * apartMs), () => act(id))
    }
    if (everyMs !== undefined) tools.after(everyMs, run)
  }

  tools.during({
    begin: run,
    end() {
      isOver = true
      end?.()
    },
  })
}

/** So many of them at most, in their order. */
function draw<Item>(items: readonly Item[], count: number, stream: FaultTools['stream']): Item[] {
  const left = items.map((_, place) => place)
  const places: number[] = []
  while (places.length < count && left.length > 0)
    places.push(...left.splice(stream.int(0, left.length - 1), 1))
  const chosen = new Set(places)
  return items.filter((_, place) => chosen.has(place))
}
