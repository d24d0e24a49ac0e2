import { z } from 'zod'
import { matchesGlob } from '../../contract/match-glob.ts'
import type { RandomStream } from '../random.ts'
import { DELAY_MAX_MS } from './fault-kind.ts'
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

/** Limit of the list `on`, and so of what a plan records. */
export const ON_MAX = 10_000

const matchSchema = z.int().min(1)

/** A match that triggers, and the delay that was drawn for it if the fault draws one. */
const triggerSchema = z.union(
  [matchSchema, z.strictObject({ match: matchSchema, draw: z.int().min(0).max(DELAY_MAX_MS) })],
  { error: 'expected the number of a match, from 1, or {"match": NUMBER, "draw": MILLISECONDS}' },
)

type Trigger = z.output<typeof triggerSchema>

/** Selects when a fault is triggered: its period, and which of the matching cases. */
export const whenSchema = z
  .strictObject({
    afterMs: z
      .int()
      .min(0)
      .max(DAY_MS)
      .default(0)
      .describe('Start this long after the plan is applied or, with `afterBlocks`, after that block'),
    afterBlocks: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('Start with the nth block that is indexed after the plan is applied'),
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
      .optional()
      .describe('Trigger only on every nth match: 10 means the tenth, the twentieth and so on (default: 1)'),
    times: z.int().min(1).max(1_000_000).optional().describe('Trigger at most this many times'),
    probability: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe('Probability of triggering on a match, above 0 and up to 1 (default: 1)'),
    on: z
      .array(triggerSchema)
      .max(ON_MAX)
      .optional()
      .describe(
        'Trigger on these matches, in ascending order, instead of by `every`, `times` and `probability`; `draw` is the delay in ms, if the fault draws one (default: drawn again)',
      ),
  })
  .superRefine(({ on, ...when }, { addIssue }) => {
    if (!on) return
    for (const key of ['every', 'times', 'probability'] as const) {
      const message = `expected no ${key} together with on, which lists every match that triggers`
      if (when[key] !== undefined) addIssue({ code: 'custom', path: [key], message })
    }
    for (const [index, trigger] of on.entries()) {
      const last = on[index - 1]
      if (last === undefined || getMatch(trigger) > getMatch(last)) continue
      const message = `expected more than ${getMatch(last)}: matches are in ascending order`
      addIssue({ code: 'custom', path: ['on', index], message })
    }
  })
  .prefault({})

export type When = z.output<typeof whenSchema>

function getMatch(trigger: Trigger): number {
  return typeof trigger === 'number' ? trigger : trigger.match
}

export type Decider = {
  /** Each call while the fault is active is a decision, numbered from 1. `chance` multiplies the probability; 0 never triggers. */
  decide(chance: number): boolean
  /** Returns the number that was listed for the last match or, by default, a sample. */
  draw(sample: (stream: RandomStream) => number): number
  decisions(): number
  triggered(): number
  /** The first `ON_MAX` decisions that triggered, with what they drew. */
  triggers(): readonly Trigger[]
}

/**
 * Every random number comes from the fault's own stream, one for each probability below 1: the same cases in the same
 * order give the same decisions. With `on` nothing is random except a draw that is not listed.
 */
export function createDecider(options: {
  when: When
  isOn: () => boolean
  stream: RandomStream
  decided: (decision: { number: number; triggered: boolean }) => void
}): Decider {
  const { isOn, stream, decided } = options
  const { every = 1, times = Number.POSITIVE_INFINITY, probability = 1, on } = options.when
  const listed = on && new Map(on.map((trigger) => [getMatch(trigger), trigger]))
  const triggers: Trigger[] = []
  let number = 0
  let count = 0

  const choose = (chance: number): boolean => {
    if (listed) return chance > 0 && listed.has(number)
    const isDrawn = probability * chance === 1 || stream.float() < probability * chance
    return number % every === 0 && isDrawn && count < times
  }

  return {
    decide(chance) {
      if (!isOn()) return false
      number++
      const isTriggered = choose(chance)
      if (isTriggered && ++count <= ON_MAX) triggers.push(number)
      decided({ number, triggered: isTriggered })
      return isTriggered
    },
    draw(sample) {
      const trigger = listed?.get(number)
      const draw = typeof trigger === 'object' ? trigger.draw : sample(stream)
      if (count <= ON_MAX) triggers[count - 1] = { match: number, draw }
      return draw
    },
    decisions: () => number,
    triggered: () => count,
    triggers: () => triggers,
  }
}
