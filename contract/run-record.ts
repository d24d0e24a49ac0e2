/** A run in a run history: what `breakwater trend` needs of it, in a few kilobytes. */
import { z } from 'zod'
import { runSchema } from './run.ts'
import { AXES } from './scenario-config.ts'

/** A release or commit, as tables show it. */
export const releaseName = z
  .string()
  .regex(/^[\w.+@/-]{1,100}$/, 'expected letters, digits and _ . + @ / -, at most 100 characters')

const count = z.number().int().nonnegative()

const BUCKETS_MAX = 4096

/** Samples by bucket of an exponential histogram of scale 7: gaps between indexes and counts in turn. */
const storedHistogramSchema = z
  .object({
    count,
    min: z.number().nonnegative(),
    max: z.number().nonnegative(),
    zero: count,
    // Without a check for each number, which would take most of the time of reading a history.
    buckets: z.custom<number[]>(isWholeNumbers, `expected a list of at most ${BUCKETS_MAX} whole numbers`),
  })
  .refine(isConsistent, 'expected rising indexes and counts that add up to `count`')

/** 2^64 ms at scale 7, or its inverse: a damaged index must not exhaust memory. */
const INDEX_MAX = 64 * 128

function isConsistent(histogram: {
  count: number
  min: number
  max: number
  zero: number
  buckets: readonly number[]
}): boolean {
  const { count, min, max, zero, buckets } = histogram
  let index = 0
  let sum = zero
  for (let at = 0; at < buckets.length; at += 2) {
    const gap = buckets[at] ?? 0
    const samples = buckets[at + 1] ?? 0
    index += gap
    sum += samples
    if (samples < 1 || Math.abs(index) > INDEX_MAX || (at > 0 && gap < 1)) return false
  }
  return sum === count && min <= max
}

function isWholeNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.length <= BUCKETS_MAX && value.every(Number.isSafeInteger)
}

export const runRecordSchema = z.object({
  record: z.literal(1),
  id: runSchema.shape.id,
  job: runSchema.shape.job,
  startedAt: z.iso.datetime(),
  target: z.string().max(200),
  /** The release of the target, and its commit. */
  release: releaseName.nullable(),
  commit: releaseName.nullable(),
  mix: z.string().max(200).nullable(),
  arrivals: z.string().max(200).nullable().default(null),
  /** Offered iterations per second; null: the run held no constant rate. */
  rate: z.number().positive().nullable(),
  seed: runSchema.shape.seed,
  world: runSchema.shape.world,
  choices: runSchema.shape.choices,
  machine: z.string().max(200).nullable(),
  versions: z.object({ breakwater: z.string().max(50), k6: z.string().max(200) }),
  seconds: z.number().nonnegative(),
  /** Failed requests; their share is judged too. */
  failed: count,
  /** For a capacity search: its axis and its objectives; null: none, or a record from before these fields. */
  axis: z.enum(AXES).nullable().default(null),
  objectives: z.string().nullable().default(null),
  /** Found by a capacity search, in the unit of its axis. */
  capacity: z.number().positive().nullable(),
  /** Latency of all requests in ms, without the warm-up. */
  latency: storedHistogramSchema,
})

export type RunRecord = z.infer<typeof runRecordSchema>

/** Bytes of a record at most. */
export const RECORD_BYTES_MAX = 64 * 1024
