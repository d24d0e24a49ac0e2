import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Auth } from '../../auth/auth.ts'
import type { Views } from '../../indexer/views/views.ts'
import { realTimeMs, type ServiceQueue } from '../../service-queue.ts'
import type { ChainNode } from '../../world/chain-node.ts'

export type FeedFigures = {
  sockets(): readonly { rooms: number }[]
  /** Totals; each event counts once per socket. */
  events(): { sent: number; dropped: number }
}

export type Metrics = {
  contentType: string
  text(): Promise<string>
  observe(request: FastifyRequest, reply: FastifyReply): void
  watchQueue(queue: Pick<ServiceQueue, 'length' | 'takeLengthMax'>): void
  close(): void
}

export type MetricsOptions = {
  views: Pick<Views, 'head'>
  node: Pick<ChainNode, 'state' | 'pending'>
  feed: FeedFigures
  auth: { sessions: Pick<Auth['sessions'], 'size'>; apiTokens: Pick<Auth['apiTokens'], 'size'> }
}

/**
 * Metrics of one exchange, in a separate registry. Labels have few values, whatever clients send: method, route (its template, or
 * `none`) and status class. Durations are in real time.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const labelNames = ['method', 'route', 'status'] as const
  const durations = new Histogram({
    name: 'breakwater_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its response is sent',
    labelNames,
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  })
  new Counter({
    name: 'breakwater_http_requests_total',
    help: 'Responses sent',
    labelNames,
    registers,
    // From the histogram: a separate counter would double the cost per request.
    async collect() {
      this.reset()
      for (const { metricName, labels, value } of (await durations.get()).values) {
        if (metricName?.endsWith('_count')) this.inc(labels, value)
      }
    },
  })
  for (const [name, { help, read }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(options))
      },
    })
  }
  for (const [name, { help, read }] of Object.entries(COUNTERS)) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read(options))
      },
    })
  }
  new Counter({
    // The name that the Prometheus client libraries use.
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, over all its threads, user and system',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  new Gauge({
    // Also a name that these libraries use.
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  new Gauge({
    name: 'breakwater_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const [quantile, read] of Object.entries(DELAY_QUANTILES)) {
        this.set({ quantile }, toSeconds(read(delay)))
      }
      delay.reset()
    },
  })

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    observe(request, reply) {
      const labels = {
        method: METHODS.has(request.method) ? request.method : 'other',
        route: request.routeOptions.url ?? 'none',
        status: `${Math.floor(reply.statusCode / 100)}xx`,
      }
      const nowMs = realTimeMs()
      durations.observe(labels, (nowMs - (request.arrivedAtMs ?? nowMs)) / 1000)
    },
    watchQueue(queue) {
      for (const [name, { help, read }] of Object.entries(QUEUE_GAUGES)) {
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read(queue))
          },
        })
      }
    },
    close: () => void delay.disable(),
  }
}

const DURATION_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])

type Figure = { help: string; read(from: MetricsOptions): number }

const GAUGES: Readonly<Record<string, Figure>> = {
  breakwater_feed_sockets: {
    help: 'Open sockets of the live feed',
    read: ({ feed }) => feed.sockets().length,
  },
  breakwater_feed_rooms: {
    help: 'Room subscriptions, each counted once for each socket',
    read: ({ feed }) => feed.sockets().reduce((sum, { rooms }) => sum + rooms, 0),
  },
  breakwater_chain_height: { help: 'The newest block of the chain', read: ({ node }) => node.state().height },
  breakwater_index_lag_blocks: {
    help: 'Blocks that are mined and not indexed yet',
    read: ({ node, views }) => node.state().height - views.head().height,
  },
  breakwater_mempool_transactions: {
    help: 'Submitted transactions that wait for the next block',
    read: ({ node }) => node.pending().length,
  },
  breakwater_sessions: {
    help: 'Sessions kept, including expired ones not yet removed',
    read: ({ auth }) => auth.sessions.size(),
  },
  breakwater_api_tokens: {
    help: 'API tokens kept, including expired ones not yet removed',
    read: ({ auth }) => auth.apiTokens.size(),
  },
}

const COUNTERS: Readonly<Record<string, Figure>> = {
  breakwater_feed_events_sent_total: {
    help: 'Events sent, each counted once for each socket',
    read: ({ feed }) => feed.events().sent,
  },
  breakwater_feed_events_dropped_total: {
    help: 'Events dropped: the peer or the fan-out did not keep up, or blocks were reverted first',
    read: ({ feed }) => feed.events().dropped,
  },
}

const QUEUE_GAUGES: Readonly<
  Record<string, { help: string; read(queue: Pick<ServiceQueue, 'length' | 'takeLengthMax'>): number }>
> = {
  breakwater_service_queue_requests: {
    help: 'Requests that wait for service',
    read: (queue) => queue.length(),
  },
  breakwater_service_queue_requests_max: {
    help: 'Maximum number of waiting requests since the last scrape',
    read: (queue) => queue.takeLengthMax(),
  },
}

const DELAY_QUANTILES: Readonly<Record<string, (delay: IntervalHistogram) => number>> = {
  '0.5': (delay) => delay.percentile(50),
  '0.99': (delay) => delay.percentile(99),
  '1': ({ max }) => max,
}

const DELAY_RESOLUTION_MS = 10

/** From nanoseconds between two samples; NaN before the first counts as 0. */
function toSeconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION_MS / 1000) : 0
}
