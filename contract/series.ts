/**
 * One line of `series.ndjson`, as written by k6's `series` output (docs/reference/formats.md): a header, then one line of aggregated
 * samples per metric, tag set and second, then an end line if k6 finished. Format 1 lacks SINCE_DUE and LATENESS. Lines for the same series and second add up.
 */
export type SeriesHeader = { type: 'header'; format: 1 | 2; k6: string; start: string; scale: number }
/** The last line of a complete file; without it, the file was cut off. */
export type SeriesEnd = { type: 'end'; time: string; samples: number }

/** A bucket of an OpenTelemetry exponential histogram: [index, count]. */
export type Bucket = readonly [index: number, count: number]

/** One second of one time series. */
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

/** Values of the tag `route_group` for requests that do not go to the target; their latencies and errors are not the target's. */
export const OWN_ROUTE_GROUPS = ['control-api', 'signer'] as const

/** Distinguishes the k6 processes of one load in k6's other outputs, such as Prometheus, where their series would collide. */
export const GENERATOR_TAG = 'k6_instance'

/** All tags that distinguish k6 processes, including those of k6-operator for runners in a cluster. Merging drops them. */
export const GENERATOR_TAGS: ReadonlySet<string> = new Set([GENERATOR_TAG, 'instance_id', 'job_name'])

/** Trends of each request, ms. k6's own starts when the request is sent. */
export const RESPONSE_TIME = 'http_req_duration'
/** Latency: from when the request was due, as planned by the arrivals of the load, to the end of its response. */
export const SINCE_DUE = 'http_req_since_due'
/** Only for the first request of an arriving client: how late the load generator sent it. */
export const LATENESS = 'http_req_lateness'

/** A counter: iterations that the arrivals of a load planned, dropped ones too. */
export const DUE_ITERATIONS = 'due_iterations'

/** The setting of k6 with the share of requests that are traced, and its value for loads (docs/reference/formats.md). */
export const TRACE_SHARE = { variable: 'K6_TRACE_SHARE', load: '0.05' } as const

/** Trend of traced requests, ms: a part of the time that the target spent on them, named by the tag `part`. */
export const SERVER_TIMING = 'http_req_server_timing'
/** Trend of traced requests whose target names parts, ms: their response time. */
export const SERVER_TIMED = 'http_req_server_timed'
/** Gauge, ms: the response time of one of the slowest traced requests of a route and second (tags `trace_id`, `status`, `parts`). */
export const SLOW_TRACE = 'http_req_slow_trace'

/** Names of parts that are shown. Others do not come from our k6. */
export const PART_NAME = /^[A-Za-z0-9_.-]{1,32}$/

/** Names of the k6 metrics that clients of a mix measure on the feed. */

/** A trend, ms: lower and upper bound of an event's delay, because the clocks agree only to some extent. */
export const FEED_DELAY_LOWER_BOUND = 'feed_delay_lower_bound'
export const FEED_DELAY_UPPER_BOUND = 'feed_delay_upper_bound'

/** A counter: events whose delay could not be measured, with the reason in the tag `reason`. */
export const FEED_UNMEASURED = 'feed_unmeasured'

export const UNMEASURED_REASONS = {
  'no-time-field': 'the profile does not name the time field of events (choices.eventTime)',
  'no-time': 'events have no time in the field that the profile names',
  'no-clock': 'no REST response had given the time of the target yet (the header Date)',
  ahead: 'event times are ahead of the clock of REST responses (the header Date)',
} as const

export type UnmeasuredReason = keyof typeof UNMEASURED_REASONS

/** A trend, ms: from opening a socket to `synchronized`. */
export const FEED_SYNCHRONIZE = 'feed_synchronize'

/** A counter by the tag `outcome`: served; unresponsive (no `synchronized`); rejected (no ticket, or no socket). */
export const FEED_SOCKETS = 'feed_sockets'

/** A counter: the control `resync_required`, by which a target says that a socket may have missed events. */
export const FEED_RESYNCS = 'feed_resyncs'

/** After all sockets were cut at once: a trend, ms, until a socket is synchronized again, and a counter of those that took too long. */
export const FEED_RECOVERY = 'feed_recovery'
export const FEED_UNRECOVERED = 'feed_unrecovered'

/**
 * Counters of a load with a number of sockets, once per second: sockets that should be served by now, and those that are. Their ratio
 * is the share of sockets that the target serves. If the load is a number of joined rooms, each socket counts as its rooms.
 */
export const FEED_SOCKETS_DUE = 'feed_sockets_due'
export const FEED_SOCKETS_HELD = 'feed_sockets_held'

/** A counter: rooms that a socket should join, but the target lists too few pools for them. */
export const FEED_ROOMS_UNKNOWN = 'feed_rooms_unknown'

/** Returns the tag `route_group` of a request, the unit of latency objectives: the first part of its path. */
export function parseRouteGroup(path: string): string {
  if (path[0] !== '/') return 'other'
  const end = path.indexOf('/', 1)
  return end === -1 ? path.slice(1) : path.slice(1, end)
}
