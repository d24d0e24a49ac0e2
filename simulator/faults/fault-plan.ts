/** Fault plans as data: the same plan on the same stub, with the same requests in the same order, does the same. */
import { z } from 'zod'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import { suggestNames } from '../../contract/suggest-names.ts'
import type { FaultKind } from './fault-kind.ts'
import {
  http429,
  httpBandwidth,
  httpError,
  httpHang,
  httpLatency,
  httpMalformed,
  httpReset,
  httpTruncated,
} from './kinds/http.ts'
import { clockSkew, earlyExpiry, permissionRevoked, refreshLost, refreshWindow } from './kinds/sessions.ts'
import { reorg, revisionStorm, slowIndexer, staleRead, staleRoute } from './kinds/world.ts'
import { wsDelay, wsDrop, wsDuplicate, wsReorder, wsRoomBlackhole } from './kinds/ws-events.ts'
import {
  wsHandshakeDelay,
  wsHandshakeError,
  wsHandshakeHang,
  wsHandshakeReset,
  wsTicketDelay,
} from './kinds/ws-handshakes.ts'
import {
  scheduleOptions,
  wsBlackhole,
  wsClose,
  wsControlDelay,
  wsSlowConsumer,
  wsUnknownControl,
} from './kinds/ws-sockets.ts'
import { type SocketWhere, type When, whenSchema } from './when-and-where.ts'

export const FAULT_KINDS: readonly FaultKind[] = [
  http429,
  httpError,
  httpLatency,
  httpBandwidth,
  httpReset,
  httpHang,
  httpTruncated,
  httpMalformed,
  refreshWindow,
  refreshLost,
  earlyExpiry,
  permissionRevoked,
  clockSkew,
  staleRead,
  staleRoute,
  slowIndexer,
  revisionStorm,
  reorg,
  wsBlackhole,
  wsClose,
  wsControlDelay,
  wsDelay,
  wsDrop,
  wsDuplicate,
  wsHandshakeDelay,
  wsHandshakeError,
  wsHandshakeHang,
  wsHandshakeReset,
  wsReorder,
  wsRoomBlackhole,
  wsSlowConsumer,
  wsTicketDelay,
  wsUnknownControl,
]

const closeSchema = z.object({ ...scheduleOptions, fault: z.literal('ws-close'), when: whenSchema })

type WsClose = z.output<typeof closeSchema>
type Clients = SocketWhere['clients']

/**
 * Finds pairs of faults that close the same sockets in the same period: the result would depend on their order in the
 * plan. Returns the place of the later one and of the first one that it overlaps. Skips invalid `ws-close` faults.
 */
function overlappingCloses(faults: readonly unknown[]): { place: number; other: number }[] {
  const closes = faults.flatMap((fault, place) => {
    const { data } = closeSchema.safeParse(fault)
    return data ? [{ ...data, place }] : []
  })
  return closes.flatMap((close, index) => {
    const before = closes.slice(0, index).find((other) => overlap(close, other))
    return before ? [{ place: close.place, other: before.place }] : []
  })
}

/** Ignores rooms, since a socket may be in any number of them. Faults that start with different blocks are not compared. */
function overlap(one: WsClose, other: WsClose): boolean {
  const [ofOne, ofOther] = [computeSpan(one), computeSpan(other)]
  const isSameTime = ofOne.fromMs <= ofOther.toMs && ofOther.fromMs <= ofOne.toMs
  const isComparable = one.when.afterBlocks === other.when.afterBlocks
  return isComparable && isSameTime && clientsOverlap(one.where.clients, other.where.clients)
}

/** From the first close to the last possible one. */
function computeSpan({ when, everyMs, staggerMs }: WsClose): { fromMs: number; toMs: number } {
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

/** True if some text matches both globs. */
export function globsOverlap(one: string, other: string): boolean {
  if (!one.includes('*')) return matchesGlob(other, one)
  if (!other.includes('*')) return matchesGlob(one, other)
  // The text between the first and last star of one fits a star of the other.
  const [starts, ends] = [
    [getPrefix(one), getPrefix(other)],
    [getSuffix(one), getSuffix(other)],
  ]
  return (
    oneContains(starts, (long, short) => long.startsWith(short)) &&
    oneContains(ends, (long, short) => long.endsWith(short))
  )
}

function getPrefix(glob: string): string {
  return glob.slice(0, glob.indexOf('*'))
}

function getSuffix(glob: string): string {
  return glob.slice(glob.lastIndexOf('*') + 1)
}

function oneContains(
  [one = '', other = '']: readonly string[],
  contains: (long: string, short: string) => boolean,
): boolean {
  return contains(one, other) || contains(other, one)
}

const FAULTS_MAX = 50

const faultSchema = z.discriminatedUnion(
  'fault',
  FAULT_KINDS.map(({ name, summary, options, draws }) =>
    options
      .extend({ fault: z.literal(name).describe(summary), when: whenSchema })
      .superRefine((fault, { addIssue }) => {
        if (draws?.(fault as never)) return // as: parsed by the schema of the kind
        const paths = listDraws(fault.when as When) // as: parsed by its schema
        for (const path of paths) addIssue({ code: 'custom', path, message: NO_DRAW })
      }),
  ) as unknown as [FaultSchema, ...FaultSchema[]], // as: built above, and not empty
)

const NO_DRAW = 'expected only the number of the match, because this fault draws no delay'

function listDraws({ on = [] }: When): (string | number)[][] {
  return on.flatMap((trigger, index) => (typeof trigger === 'object' ? [['when', 'on', index]] : []))
}

type FaultSchema = z.ZodObject<{ fault: z.ZodLiteral<string>; when: typeof whenSchema }>

export const faultPlanSchema = z.strictObject({
  $schema: z.string().optional(),
  description: z.string().min(1).max(500).describe('Purpose of the plan'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .describe('Seed of all random decisions'),
  faults: z
    .array(faultSchema)
    .min(1)
    .max(FAULTS_MAX)
    .superRefine(refuseOverlaps, {
      // Runs even if single faults are invalid, to report all problems at once.
      when: ({ value }) => Array.isArray(value),
    })
    .describe('Faults, in the order in which they apply; [faults.md](faults.md) describes every kind'),
})

export type FaultPlan = z.output<typeof faultPlanSchema>
export type Fault = FaultPlan['faults'][number]

function refuseOverlaps(faults: readonly unknown[], { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void {
  for (const { place, other } of overlappingCloses(faults)) {
    const message = `closes the same sockets in the same period as faults[${other}]`
    addIssue({ code: 'custom', path: [place], message })
  }
}

/** A valid plan that does not fit the exchange; each problem starts with its path. */
export class FaultPlanMisfit extends BreakwaterError {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['the fault plan does not fit this exchange:', ...problems].join('\n  '), {
      hint: 'A route is a method and a registered path, such as GET /pools/:key; * matches any text.',
    })
    this.name = 'FaultPlanMisfit'
    this.problems = problems
  }
}

/** Throws FaultPlanMisfit for globs that match no route, since such a fault would never be triggered. */
export function requireKnownRoutes({ faults }: FaultPlan, routes: readonly string[]): void {
  const problems = faults.flatMap((fault, place) =>
    listRouteGlobs(fault).flatMap((glob, index) => {
      if (routes.some((route) => matchesGlob(glob, route))) return []
      const at = `faults[${place}].where.routes[${index}]`
      return `${at}: ${JSON.stringify(glob)} matches no route; ${suggestNames(glob, routes)}`
    }),
  )
  if (problems.length > 0) throw new FaultPlanMisfit(problems)
}

/** Feed faults have no routes. */
function listRouteGlobs(fault: FaultPlan['faults'][number]): readonly string[] {
  const { where } = fault as { where?: { routes?: readonly string[] } } // as: true for any fault
  return where?.routes ?? []
}
