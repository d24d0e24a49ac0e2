import { z } from 'zod'
import { matchesGlob } from '../../contract/match-glob.ts'
import type { RandomStream } from '../random.ts'
import type { SeenAnswer, SeenRequest, SeenSocket } from './seams.ts'

const glob = z.string().min(1).max(200)
export const globs = z.array(glob).min(1).max(100)

/** Who asks: a wallet by its address, or a program by its `User-Agent`. */
const clients = z
  .strictObject({
    addresses: globs.optional().describe('Wallets, as the exchange writes them; `*` stands for any text'),
    userAgents: globs.optional().describe('`User-Agent` headers; `*` stands for any text'),
  })
  .optional()

/** Which requests: all where nothing is said. */
export const restWhereSchema = z
  .strictObject({
    routes: globs
      .optional()
      .describe('Such as `GET /pools/:key` or `* /auth/*`: a method and a route as it is registered'),
    clients,
  })
  .prefault({})

type RestWhere = z.output<typeof restWhereSchema>

/** Of a fault that knows its route. */
export const clientsWhereSchema = z.strictObject({ clients }).prefault({})

export const REST_AT = z
  .enum(['request', 'answer'])
  .default('request')
  .describe('Before what was asked for is done, or once it is')

/** Whether the request is one of those named, by method and route, and by who asks. */
export function matchesRequest(
  where: RestWhere,
  { method, route, address, userAgent }: SeenRequest,
): boolean {
  const { routes, clients: who } = where
  if (routes && !matchesAny(routes, `${method} ${route ?? ''}`)) return false
  if (who?.addresses && !(address !== null && matchesAny(who.addresses, address))) return false
  return who?.userAgents === undefined || matchesAny(who.userAgents, userAgent)
}

const REFRESH = { routes: ['POST /auth/refresh'] }

/** Whether it is the answer to a refresh that has replaced the token. */
export function isRefreshDone(
  { clients: who }: z.output<typeof clientsWhereSchema>,
  seen: SeenAnswer,
): boolean {
  return seen.status === 200 && matchesRequest({ ...REFRESH, clients: who }, seen)
}

/** Whether one of the globs matches the whole text. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text))
}

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

const DAY_MS = 24 * 60 * 60 * 1000

/** When a fault acts: which of the cases that fit its `where`, and in which span of time. */
export const whenSchema = z
  .strictObject({
    afterMs: z.int().min(0).max(DAY_MS).default(0).describe('It begins so long after the plan is applied'),
    forMs: z
      .int()
      .min(1)
      .max(DAY_MS)
      .optional()
      .describe('It ends so long after it began; else with the plan'),
    every: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1)
      .describe('It acts on every n-th case alone: 10 means the tenth, the twentieth and so on'),
    times: z.int().min(1).max(1_000_000).optional().describe('It acts so many times at most'),
    probability: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe('The chance that it acts on such a case, above 0 and up to 1'),
  })
  .prefault({})

type When = z.output<typeof whenSchema>

export type Decider = {
  /** Whether the fault acts on this case. Each call within the fault’s time is a decision, numbered from 1. */
  decide(): boolean
  decisions(): number
  acted(): number
}

/**
 * Every decision comes from the fault's own stream, one draw each where chance has a say: the same cases in the same order
 * give the same decisions.
 */
export function createDecider(options: {
  when: When
  isOn: () => boolean
  stream: RandomStream
  /** Told of each decision. */
  decided: (decision: { number: number; acts: boolean }) => void
}): Decider {
  const { when, isOn, stream, decided } = options
  let number = 0
  let acted = 0

  return {
    decide() {
      if (!isOn()) return false
      number++
      const isDrawn = when.probability === 1 || stream.float() < when.probability
      const acts = number % when.every === 0 && isDrawn && acted < (when.times ?? Number.POSITIVE_INFINITY)
      if (acts) acted++
      decided({ number, acts })
      return acts
    },
    decisions: () => number,
    acted: () => acted,
  }
}
