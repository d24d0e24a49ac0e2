/**
 * Draws the faults of the next run. Each schedule omits about half of the kinds, so that a kind that hides others is
 * often absent (swarm testing). It prefers kinds and pairs that were rarely triggered, and sometimes continues from a schedule
 * that added to the coverage.
 */
import { z } from 'zod'
import type { FaultKind } from '../simulator/faults/fault-kind.ts'
import { FAULT_KINDS, type Fault, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { pickByWeight, type RandomStream } from '../simulator/random.ts'
import type { Schedule } from './schedule.ts'

/** Names that a client uses: faults of others would never be triggered. */
export type Vocabulary = { routes: readonly string[]; rooms: readonly string[] }

const FAULTS_MIN = 2
const FAULTS_MAX = 9
const TRIES_MAX = 20

export function generateSchedule(options: {
  stream: RandomStream
  /** How often a situation has occurred so far: a fault by its name, a pair of them as `a + b`. */
  countSituation: (situation: string) => number
  /** Schedules that added to the coverage. */
  promising: readonly Schedule[]
  vocabulary: Vocabulary
  durationMs: number
}): Schedule {
  const { stream, promising } = options
  const drawn = FAULT_KINDS.filter(() => stream.int(0, 1) === 1)
  const kinds = drawn.length > 0 ? drawn : [stream.pick(FAULT_KINDS)]
  const faults =
    promising.length > 0 && stream.int(0, 2) === 0 ? dropSome(stream.pick(promising), stream) : []
  for (let count = stream.int(FAULTS_MIN, FAULTS_MAX); count > 0; count--) {
    const chosen: string[] = faults.map(({ fault }) => fault)
    const left = kinds.filter(({ name }) => !chosen.includes(name))
    if (left.length === 0) break
    const weighted = left.map((kind) => ({ kind, weight: weigh(kind.name, chosen, options.countSituation) }))
    faults.push(drawFault(pickByWeight(weighted, stream).kind, options))
  }
  return faults
}

function dropSome(schedule: Schedule, stream: RandomStream): Fault[] {
  return schedule.filter(() => stream.int(0, 1) === 1)
}

function weigh(kind: string, chosen: readonly string[], count: (situation: string) => number): number {
  const newPairs = chosen.filter((other) => count([other, kind].sort().join(' + ')) === 0).length
  return (1 + newPairs) / (1 + count(kind))
}

/** Parts that do not fit together are drawn again; the defaults always fit. */
function drawFault(
  { name, options: schema }: FaultKind,
  options: Parameters<typeof generateSchedule>[0],
): Fault {
  const { stream, vocabulary } = options
  // as: the options of a fault are an object
  const described = z.toJSONSchema(schema, { io: 'input' }) as Described
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const drawn = drawValue(described, { stream, vocabulary, name: '' })
    const fault = { ...(drawn as object), fault: name, when: drawWhen(options) }
    const { data } = faultPlanSchema.safeParse({ description: 'drawn', faults: [fault] })
    if (data?.faults[0]) return data.faults[0]
  }
  throw new Error(`no valid options drawn for the fault ${name} in ${TRIES_MAX} tries`)
}

const RUN_MAX = 12
const WINDOW_MS = { min: 5000, max: 60_000 }

/** A single match, a run of them (a client retries), or all for a while (an outage); from the start or later. */
function drawWhen({ stream, durationMs }: { stream: RandomStream; durationMs: number }): object {
  const form = stream.int(0, 2)
  return {
    ...(form === 0 && { times: 1 }),
    ...(form === 1 && { times: stream.int(2, RUN_MAX) }),
    ...(form === 2 && { forMs: stream.int(WINDOW_MS.min, WINDOW_MS.max) }),
    every: stream.int(0, 5) === 0 ? stream.int(2, 4) : 1,
    afterMs: stream.int(0, 2) === 0 ? 0 : stream.int(0, Math.floor(durationMs * 0.6)),
  }
}

type Described = {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  default?: unknown
  examples?: readonly unknown[]
  oneOf?: readonly Described[]
  anyOf?: readonly Described[]
  properties?: Readonly<Record<string, Described>>
  required?: readonly string[]
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

type Context = { stream: RandomStream; vocabulary: Vocabulary; name: string }

/** undefined: nothing to draw from, such as a text without known values. */
function drawValue(described: Described, context: Context): unknown {
  const { stream, vocabulary, name } = context
  const { type, enum: values, examples, oneOf, anyOf } = described
  const alternatives = oneOf ?? anyOf
  if ('const' in described) return described.const
  if (values ?? examples) return stream.pick(values ?? examples ?? [])
  if (alternatives) return drawValue(stream.pick(alternatives), context)
  if (type === 'boolean') return stream.int(0, 1) === 1
  if (type === 'integer' || type === 'number') return drawNumber(described, context)
  if (type === 'object') return drawObject(described, context)
  if (type !== 'array' || !(name in vocabulary)) return undefined
  const known = vocabulary[name as keyof Vocabulary]
  return known.length === 0 ? undefined : [stream.pick(known)]
}

const OPTIONAL_SHARE = 0.5

function drawObject({ properties = {}, required = [] }: Described, context: Context): object | undefined {
  const drawn: Record<string, unknown> = {}
  for (const [name, described] of Object.entries(properties)) {
    const isRequired = required.includes(name)
    if (!isRequired && name !== 'where' && context.stream.float() >= OPTIONAL_SHARE) continue
    const value = drawValue(described, { ...context, name })
    if (value !== undefined) drawn[name] = value
    else if (isRequired) return undefined
  }
  return drawn
}

/** By the unit that ends a name: a client notices nothing below, and a run is over above. */
const BOUNDS: readonly { unit: RegExp; min: number; max: number }[] = [
  { unit: /ms$/i, min: 250, max: 60_000 },
  { unit: /seconds$/i, min: 1, max: 30 },
  { unit: /perSecond$/i, min: 1, max: 10_000 },
  { unit: /.*/, min: 0, max: 600 },
]

/** Small and large values equally often; negative ones if they are allowed. */
function drawNumber(described: Described, { stream, name }: Context): number | undefined {
  const {
    type,
    default: usual,
    minimum = described.exclusiveMinimum ?? 0,
    maximum = Number.MAX_SAFE_INTEGER,
  } = described
  const bounds = BOUNDS.find(({ unit }) => unit.test(name))
  const max = Math.min(maximum, bounds?.max ?? maximum)
  const min = Math.min(max, Math.max(minimum, bounds?.min ?? 0))
  if (min === minimum && maximum === Number.MAX_SAFE_INTEGER) return usual as number | undefined // as: a number's default
  const drawn = (min + 1) * ((max + 1) / (min + 1)) ** stream.float() - 1
  const value = type === 'integer' ? Math.round(drawn) : drawn
  return minimum < 0 && stream.int(0, 1) === 1 ? -value : value
}
