import { z } from 'zod'
import type { SocketWhere } from './feed-where.ts'
import { globsOverlap } from './globs-overlap.ts'
import { scheduleOptions } from './on-sockets.ts'
import { whenSchema } from './when.ts'

/** Of a `feed-close`, what matters here. */
const closeSchema = z.object({ ...scheduleOptions, fault: z.literal('feed-close'), when: whenSchema })

type FeedClose = z.output<typeof closeSchema>
type Clients = SocketWhere['clients']

/**
 * Faults that close the same sockets in the same span of time: which of them a socket meets would hang on their order in the
 * plan. By place in the plan: the later one, and the first that it overlaps with. What is no sound `feed-close` is passed over.
 */
export function overlappingCloses(faults: readonly unknown[]): { place: number; other: number }[] {
  const closes = faults.flatMap((fault, place) => {
    const { data } = closeSchema.safeParse(fault)
    return data ? [{ ...data, place }] : []
  })
  return closes.flatMap((close, index) => {
    const before = closes.slice(0, index).find((other) => overlap(close, other))
    return before ? [{ place: close.place, other: before.place }] : []
  })
}

/** A room tells nothing: a socket may be in any number of them. */
function overlap(one: FeedClose, other: FeedClose): boolean {
  const [ofOne, ofOther] = [spanOf(one), spanOf(other)]
  const isSameTime = ofOne.fromMs <= ofOther.toMs && ofOther.fromMs <= ofOne.toMs
  return isSameTime && clientsOverlap(one.where.clients, other.where.clients)
}

/** From the first close to the last one that there may be. */
function spanOf({ when, everyMs, staggerMs }: FeedClose): { fromMs: number; toMs: number } {
  const { afterMs, forMs = Number.POSITIVE_INFINITY } = when
  const againMs = everyMs === undefined ? 0 : Math.floor((forMs - 1) / everyMs) * everyMs
  return { fromMs: afterMs, toMs: afterMs + againMs + staggerMs }
}

function clientsOverlap(one: Clients, other: Clients): boolean {
  return anyOverlap(one?.addresses, other?.addresses) && anyOverlap(one?.userAgents, other?.userAgents)
}

function anyOverlap(some: readonly string[] | undefined, others: readonly string[] | undefined): boolean {
  if (!some || !others) return true
  return some.some((glob) => others.some((other) => globsOverlap(glob, other)))
}
