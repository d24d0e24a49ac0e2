/**
 * A fault plan: what goes wrong, where and when, as data. The same plan on the same stub, asked the same in the same order,
 * does the same.
 */
import { z } from 'zod'
import { matchesGlob } from '../../contract/match-glob.ts'
import { FAULT_KINDS } from './fault-kinds.ts'
import type { SocketWhere } from './feed-where.ts'
import { nearest } from './nearest.ts'
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

/** Whether there is a text that both globs match. */
export function globsOverlap(one: string, other: string): boolean {
  if (!one.includes('*')) return matchesGlob(other, one)
  if (!other.includes('*')) return matchesGlob(one, other)
  // What lies between the first and the last star of one finds its place in a star of the other.
  const [starts, ends] = [
    [startOf(one), startOf(other)],
    [endOf(one), endOf(other)],
  ]
  return (
    oneContains(starts, (long, short) => long.startsWith(short)) &&
    oneContains(ends, (long, short) => long.endsWith(short))
  )
}

function startOf(glob: string): string {
  return glob.slice(0, glob.indexOf('*'))
}

function endOf(glob: string): string {
  return glob.slice(glob.lastIndexOf('*') + 1)
}

function oneContains(
  [one = '', other = '']: readonly string[],
  contains: (long: string, short: string) => boolean,
): boolean {
  return contains(one, other) || contains(other, one)
}

const FAULTS_MAX = 50

const names = FAULT_KINDS.map(({ name }) => name)

const faultSchema = z.discriminatedUnion(
  'fault',
  FAULT_KINDS.map(({ name, summary, options }) =>
    options.extend({ fault: z.literal(name).describe(summary), when: whenSchema }),
  ) as unknown as [FaultSchema, ...FaultSchema[]], // as: each is made right here, and there is one at least
  { error: ({ code, input }) => (code === 'invalid_union' ? meant(input) : undefined) },
)

type FaultSchema = z.ZodObject<{ fault: z.ZodLiteral<string>; when: typeof whenSchema }>

export const faultPlanSchema = z.strictObject({
  $schema: z.string().optional(),
  description: z.string().min(1).max(500).describe('What the plan is for'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .describe('Of all its chance'),
  faults: z
    .array(faultSchema)
    .min(1)
    .max(FAULTS_MAX)
    .superRefine(refuseOverlaps, {
      // Beside what else is wrong with them.
      when: ({ value }) => Array.isArray(value),
    })
    .describe('In the order in which they are asked; [faults.md](faults.md) has every kind'),
})

export type FaultPlan = z.output<typeof faultPlanSchema>
export type Fault = FaultPlan['faults'][number]

function refuseOverlaps(faults: readonly unknown[], { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void {
  for (const { place, other } of overlappingCloses(faults)) {
    const message = `closes the same sockets in the same span of time as faults[${other}]`
    addIssue({ code: 'custom', path: [place], message })
  }
}

function meant(input: unknown): string {
  const given = (input as { fault?: unknown } | null | undefined)?.fault
  return typeof given === 'string'
    ? `no fault is named ${JSON.stringify(given)}; the nearest are ${nearest(given, names, { count: 3 }).join(', ')}`
    : `expected one of ${names.join(', ')}`
}
