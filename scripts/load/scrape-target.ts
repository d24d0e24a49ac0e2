import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { rootCertificates } from 'node:tls'
import { shownAddress } from '../../contract/addresses.ts'
import type { TargetHealth, TargetMemory } from '../../contract/capacity.ts'
import type { Profile } from '../../contract/profile.ts'
import type { OfferedSockets } from '../../contract/scenario-config.ts'
import { readBounded } from '../target/read-bounded.ts'

type TimeWindow = { fromMs: number; toMs: number }

export type TargetWatch = {
  /** Covers the watched part of the window. Null: no metrics. */
  health(window: TimeWindow): TargetHealth | null
  /** Around the opening of sockets. Null: too few scrapes show it. */
  memory(times: OpeningTimes): MeasuredMemory | null
  problem(): string | null
  stop(): void
}

type Scrape = { atMs: number; cpuSeconds: number | null; lagMs: number | null; queue: number | null }
type ScrapedMemory = MemoryScrape & { atMs: number }

const TIMEOUT_MS = 5000

/** Scrapes the target's own metrics periodically, if its profile names them. Never throws. */
export function watchTarget({
  profile,
  ca,
  everyMs = 1000,
}: {
  profile: Pick<Profile, 'metrics' | 'baseUrl' | 'headers'>
  ca: string | null
  everyMs?: number
}): TargetWatch {
  const { metrics } = profile
  if (metrics === null) return { health: () => null, memory: () => null, problem: () => null, stop() {} }
  const headers = pickMetricsHeaders(metrics, profile)
  const scrapes: (Scrape & ScrapedMemory)[] = []
  let problem: string | null = null
  let timer: NodeJS.Timeout | undefined
  const stopped = new AbortController()
  const scrape = async () => {
    try {
      const samples = parseMetrics(await fetchText(metrics, { headers, ca, signal: stopped.signal }))
      scrapes.push({ atMs: Date.now(), ...extractFigures(samples) })
    } catch (error) {
      if (!stopped.signal.aborted)
        problem = `${shownAddress(metrics)}: ${error instanceof Error ? error.message : error}`
    }
    if (!stopped.signal.aborted) timer = setTimeout(scrape, everyMs).unref()
  }
  void scrape()
  return {
    health: (window) => summarizeHealth(scrapes, window),
    memory: (times) => summarizeMemory(scrapes, times),
    problem: () => (scrapes.length === 0 ? problem : null),
    stop() {
      stopped.abort()
      clearTimeout(timer)
    },
  }
}

/** Headers may be secrets of the exchange: never send them to another host. */
export function pickMetricsHeaders(
  metrics: string,
  { baseUrl, headers }: Pick<Profile, 'baseUrl' | 'headers'>,
): Profile['headers'] {
  return new URL(metrics).origin === new URL(baseUrl).origin ? headers : {}
}

/** The target's activity within the window, by its own metrics; null: they show none of it. */
export function summarizeHealth(
  scrapes: readonly Scrape[],
  { fromMs, toMs }: TimeWindow,
): TargetHealth | null {
  const within = scrapes.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
  const timed = within.flatMap(({ atMs, cpuSeconds }) => (cpuSeconds === null ? [] : [{ atMs, cpuSeconds }]))
  const [first, last] = [timed[0], timed.at(-1)]
  const passedMs = first && last ? last.atMs - first.atMs : 0
  const health = {
    // A restarted process counts from zero again.
    cpuCores:
      first && last && passedMs > 0 && last.cpuSeconds >= first.cpuSeconds
        ? ((last.cpuSeconds - first.cpuSeconds) * 1000) / passedMs
        : null,
    eventLoopLagMs: greatest(within.map(({ lagMs }) => lagMs)),
    queueMax: greatest(within.map(({ queue }) => queue)),
  }
  return Object.values(health).every((figure) => figure === null) ? null : health
}

/** Names in the stub and in Prometheus client libraries, in order of preference. */
const CPU_SECONDS = ['process_cpu_seconds_total']
const LAG_SECONDS = [
  'breakwater_event_loop_delay_seconds{quantile="0.99"}',
  'nodejs_eventloop_lag_p99_seconds',
]
const QUEUE = ['breakwater_service_queue_requests_max', 'breakwater_service_queue_requests']

/** Names in the stub and in all Prometheus client libraries, then in those of Node and Go. */
const RESIDENT_BYTES = ['process_resident_memory_bytes']
const HEAP_BYTES = ['nodejs_heap_size_used_bytes', 'go_memstats_heap_inuse_bytes']

function extractFigures(samples: readonly MetricSample[]): Omit<Scrape & ScrapedMemory, 'atMs'> {
  const read = (names: readonly string[]) => {
    const found = names.map((name) => samples.find((sample) => sample.name === name)).find(Boolean)
    return found?.value ?? null
  }
  const lag = read(LAG_SECONDS)
  return {
    cpuSeconds: read(CPU_SECONDS),
    lagMs: lag === null ? null : lag * 1000,
    queue: read(QUEUE),
    residentBytes: read(RESIDENT_BYTES),
    heapBytes: read(HEAP_BYTES),
  }
}

function greatest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Not fetch, which cannot trust further certificates and blocks some ports. */
function fetchText(
  url: string,
  { headers, ca, signal }: { headers: Record<string, string>; ca: string | null; signal: AbortSignal },
): Promise<string> {
  const get = url.startsWith('https:') ? httpsGet : httpGet
  return new Promise((resolve, reject) => {
    const request = get(url, {
      headers,
      ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      if (response.statusCode !== 200) {
        request.destroy(new Error(`returned ${response.statusCode}; expected 200`))
        return
      }
      readBounded(response).then(resolve, reject)
    })
  })
}

/** `name`, or `name{label="value"}` as in the text. */
type MetricSample = { name: string; value: number }

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{.*\})?)\s+(\S+)(?:\s+-?\d+)?$/

/**
 * Parses Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). Skips invalid lines and
 * non-finite values.
 */
export function parseMetrics(text: string): MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, figure] = line.startsWith('#') ? [] : (LINE.exec(line.trim()) ?? [])
    const value = Number(figure)
    return name !== undefined && Number.isFinite(value) ? [{ name, value }] : []
  })
}

type MemoryScrape = { residentBytes: number | null; heapBytes: number | null }

/** Epoch ms: the first socket opens, all are due, and the judged part ends. */
type OpeningTimes = { opensMs: number; dueMs: number; endsMs: number }

type MeasuredMemory = Omit<TargetMemory, 'sockets'>

/** The median memory before the first socket opened, and once all were due; null: too few scrapes show it. */
export function summarizeMemory(
  scrapes: readonly (MemoryScrape & { atMs: number })[],
  { opensMs, dueMs, endsMs }: OpeningTimes,
): MeasuredMemory | null {
  for (const kind of ['resident', 'heap'] as const) {
    const select = (isWithin: (atMs: number) => boolean) =>
      scrapes.flatMap((scrape) => {
        const bytes = scrape[`${kind}Bytes`]
        return bytes !== null && isWithin(scrape.atMs) ? [bytes] : []
      })
    const beforeBytes = computeMedian(select((atMs) => atMs < opensMs))
    const afterBytes = computeMedian(select((atMs) => atMs >= dueMs && atMs <= endsMs))
    if (beforeBytes !== undefined && afterBytes !== undefined) return { kind, beforeBytes, afterBytes }
  }
  return null
}

/** VUs sign in and learn the pools in the first second. */
const OPENS_AFTER_MS = 1000

/** The memory of the target in a trial of sockets; undefined: not known. */
export function measureMemory(options: {
  watch: { memory(times: OpeningTimes): MeasuredMemory | null }
  /** Epoch ms; null: the load never started. */
  startMs: number | null
  endsMs: number
  offered: OfferedSockets | undefined
}): TargetMemory | undefined {
  const { watch, startMs, endsMs, offered } = options
  if (startMs === null || offered === undefined) return undefined
  const dueMs = startMs + offered.dueAfterSeconds * 1000
  const measured = watch.memory({ opensMs: startMs + OPENS_AFTER_MS, dueMs, endsMs })
  return measured === null ? undefined : { ...measured, sockets: offered.count }
}

function computeMedian(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
