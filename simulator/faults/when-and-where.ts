import { z } from 'zod'
import { matchesGlob } from '../../contract/match-glob.ts'
import type { RandomStream } from '../random.ts'
import type { RequestContext, ResponseContext, SocketContext } from './hooks.ts'

const glob = z.string().min(1).max(200)
export const globs = z.array(glob).min(1).max(100)

/** Clients: wallets by address, or programs by `User-Agent`. */
const clients = z
  .strictObject({
    addresses: globs.optional().describe('Wallets, as the exchange writes them; `*` matches any text'),
    userAgents: globs.optional().describe('`User-Agent` headers; `*` matches any text'),
  })
  .optional()

/** Selects requests (default: all). */
export const restWhereSchema = z
  .strictObject({
    routes: globs
      .optional()
      .describe('Methods and registered routes, such as `GET /pools/:key` or `* /auth/*`'),
    clients,
  })
  .prefault({})

type RestWhere = z.output<typeof restWhereSchema>

/** For faults with a fixed route. */
export const clientsWhereSchema = z.strictObject({ clients }).prefault({})

export const REST_AT = z
  .enum(['request', 'response'])
  .default('request')
  .describe('Before the request is handled (`request`), or before its response is sent (`response`)')

export function matchesRequest(
  where: RestWhere,
  { method, route, address, userAgent }: RequestContext,
): boolean {
  const { routes, clients: who } = where
  if (routes && !matchesAny(routes, `${method} ${route ?? ''}`)) return false
  if (who?.addresses && !(address !== null && matchesAny(who.addresses, address))) return false
  return who?.userAgents === undefined || matchesAny(who.userAgents, userAgent)
}

const REFRESH = { routes: ['POST /auth/refresh'] }

/** True for the response to a refresh that has replaced the token. */
export function isRefreshDone(
  { clients: who }: z.output<typeof clientsWhereSchema>,
  context: ResponseContext,
): boolean {
  return context.status === 200 && matchesRequest({ ...REFRESH, clients: who }, context)
}

/** True if one of the globs matches the whole text. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text))
}

/** Selects events (default: all). */
export const eventWhereSchema = z
  .strictObject({
    rooms: globs.optional().describe('Rooms, such as `trades:*`; `*` matches any text'),
    clients: clients.describe('Decide for each socket of these clients; by default once per event for all'),
  })
  .prefault({})

/** Selects open sockets (default: all). */
export const socketWhereSchema = z
  .strictObject({
    rooms: globs
      .optional()
      .describe('Sockets in one of these rooms, such as `trades:*`; `*` matches any text'),
    nodes: z.array(z.int().min(1).max(16)).min(1).optional().describe('Gateway nodes, from 1'),
    clients,
  })
  .prefault({})

export const upgradeWhereSchema = z
  .strictObject({
    userAgents: globs.optional().describe('`User-Agent` headers; `*` matches any text'),
  })
  .prefault({})

export type EventWhere = z.output<typeof eventWhereSchema>
export type SocketWhere = z.output<typeof socketWhereSchema>

export function matchesRoom({ rooms }: Pick<EventWhere, 'rooms'>, room: string): boolean {
  return rooms === undefined || matchesAny(rooms, room)
}

/** True if one of its rooms and its client match. */
export function matchesSocket({ rooms, nodes, clients: who }: SocketWhere, socket: SocketContext): boolean {
  if (nodes && !nodes.includes(socket.node)) return false
  if (rooms && !socket.rooms.some((room) => matchesAny(rooms, room))) return false
  return matchesClient(who, socket)
}

export function matchesClient(
  who: SocketWhere['clients'],
  { address, userAgent }: Pick<SocketContext, 'address' | 'userAgent'>,
): boolean {
  if (who?.addresses && !(address !== null && matchesAny(who.addresses, address))) return false
  return who?.userAgents === undefined || matchesAny(who.userAgents, userAgent)
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Selects when a fault is triggered: its period, and which of the matching cases. */
export const whenSchema = z
  .strictObject({
    afterMs: z.int().min(0).max(DAY_MS).default(0).describe('Start this long after the plan is applied'),
    forMs: z
      .int()
      .min(1)
      .max(DAY_MS)
      .optional()
      .describe('End this long after the start (default: with the plan)'),
    every: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1)
      .describe('Trigger only on every nth match: 10 means the tenth, the twentieth and so on'),
    times: z.int().min(1).max(1_000_000).optional().describe('Trigger at most this many times'),
    probability: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe('Probability of triggering on a match, above 0 and up to 1'),
  })
  .prefault({})

type When = z.output<typeof whenSchema>

export type Decider = {
  /** Each call while the fault is active is a decision, numbered from 1. */
  decide(): boolean
  decisions(): number
  triggered(): number
}

/**
 * Every decision comes from the fault's own stream, with one draw for each probability below 1: the same cases in the
 * same order give the same decisions.
 */
export function createDecider(options: {
  when: When
  isOn: () => boolean
  stream: RandomStream
  decided: (decision: { number: number; triggered: boolean }) => void
}): Decider {
  const { when, isOn, stream, decided } = options
  let number = 0
  let count = 0

  return {
    decide() {
      if (!isOn()) return false
      number++
      const isDrawn = when.probability === 1 || stream.float() < when.probability
      const isTriggered =
        number % when.every === 0 && isDrawn && count < (when.times ?? Number.POSITIVE_INFINITY)
      if (isTriggered) count++
      decided({ number, triggered: isTriggered })
      return isTriggered
    },
    decisions: () => number,
    triggered: () => count,
  }
}
