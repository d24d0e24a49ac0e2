/**
 * One line of `series.ndjson`, as k6's `series` output writes it (docs/formats.md): a header, then for each metric, tag
 * set and second the samples folded together, then an end line if k6 came to its end. Lines for the same series and
 * second add up.
 */
export type SeriesHeader = { type: 'header'; format: 1; k6: string; start: string; scale: number }
/** The last line of a whole file: without it, the file was cut off. */
export type SeriesEnd = { type: 'end'; time: string; samples: number }

/** A bucket of an OpenTelemetry exponential histogram: [index, count]. */
export type Bucket = readonly [index: number, count: number]

/** What one time series measured in one second. */
export type SeriesPoint = {
  /** Unix time, whole seconds. */
  time: number
  metric: string
  type: 'trend' | 'counter' | 'rate' | 'gauge'
  contains: string
  tags: Record<string, string>
  count: number
  sum: number
  min?: number
  max?: number
  last?: number
  zero?: number
  buckets?: Bucket[]
  negative?: Bucket[]
}

/** Values of the tag `route_group` for requests that do not go to the target: no latency of its, and no error. */
export const OWN_ROUTE_GROUPS = ['control-api', 'signer'] as const

/**
 * Tells the k6 processes of one load apart where k6 also writes to outputs of its own, such as Prometheus, for which their
 * series would be the same.
 */
export const GENERATOR_TAG = 'k6_instance'

/** All tags that tell them apart, those that k6-operator gives to the runners of a cluster among them. Merging leaves them out. */
export const GENERATOR_TAGS: ReadonlySet<string> = new Set([GENERATOR_TAG, 'instance_id', 'job_name'])
