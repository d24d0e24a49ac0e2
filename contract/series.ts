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

/** What clients of a mix measure on the feed: names of k6 metrics. */

/** A trend, ms: how long an event took, at the least and at the most, as the clocks are known to agree only so far. */
export const FEED_DELAY_LEAST = 'feed_delay_least'
export const FEED_DELAY_MOST = 'feed_delay_most'

/** A counter: events whose delay could not be measured, by the tag `why`. */
export const FEED_UNMEASURED = 'feed_unmeasured'

export const WHY_UNMEASURED = {
  untold: 'the profile does not tell where an event bears its time (choices.eventTime)',
  'no-time': 'events bear no time where the profile says',
  'no-clock': 'no REST answer had told the target’s clock by then (the header Date)',
  ahead: 'events bear times that are ahead of the clock that REST tells (the header Date)',
} as const

export type WhyUnmeasured = keyof typeof WHY_UNMEASURED

/** A trend, ms: from opening a socket until `synchronize` was answered. */
export const FEED_SYNCHRONIZE = 'feed_synchronize'

/** A counter by the tag `outcome`: served; mute, where synchronize was not answered; refused, where there was no ticket, or no socket. */
export const FEED_SOCKETS = 'feed_sockets'

/** The tag `route_group` of a request, by which latency is judged: the first part of its path. */
export function routeGroupOf(path: string): string {
  if (path[0] !== '/') return 'other'
  const end = path.indexOf('/', 1)
  return end === -1 ? path.slice(1) : path.slice(1, end)
}
