/**
 * Shows a run's progress: current activity, time left and current load. Reads the run's files as they grow and keeps
 * nothing of them.
 */

import { open } from 'node:fs/promises'
import { waitingSchema } from '../../contract/finding.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { OWN_ROUTE_GROUPS, type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import { figure, latencyText, percent } from '../../reports/objective-text.ts'
import { readPoint, toHistogramPart } from '../../reports/series/point.ts'
import { addPart, createHistogram, type Histogram, mergeInto } from '../../reports/statistics/histogram.ts'
import { supportedQuantile } from '../../reports/statistics/quantiles.ts'
import type { Io } from '../io.ts'

const LOOK_MS = 500

/**
 * Updates the status until stopped: `look` reads new data, `parts` formats it, most important first; empty shows
 * nothing.
 */
export function showProgress(
  io: Io,
  options: { look: () => Promise<void>; parts: () => readonly string[] },
): { stop(): Promise<void> } {
  const { look, parts } = options
  let looking: Promise<void> | undefined
  const show = async () => {
    // A read error may be transient; if not, the report shows it.
    await look().catch(() => {})
    if (timer !== undefined) io.status(parts().length > 0 ? parts() : null)
  }
  const tick = () => {
    looking ??= show().finally(() => {
      looking = undefined
    })
  }
  let timer = io.verbosity() === 'quiet' ? undefined : setInterval(tick, LOOK_MS)
  if (timer !== undefined) tick()
  return {
    async stop() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      await looking
      // For callers that report the final state.
      await look().catch(() => {})
      io.status(null)
    },
  }
}

/** Long enough for a percentile at a moderate rate, short enough to show changes. */
const SECONDS_KEPT = 10

export type RecentLoad = {
  look(): Promise<void>
  /**
   * Over the last ten seconds: `105 req/s`, `p95 12.3 ms`, `errors 0 %`; the median for few requests, no latency for
   * fewer. Empty before the first request.
   */
  parts(): string[]
}

/** The current load by k6's series; several k6 processes are combined. */
export function followLoad(files: readonly string[]): RecentLoad {
  const load = createRecentLoad()
  const followers = files.map((file) => followLines(file, load.add))
  return {
    async look() {
      for (const follower of followers) await follower.look()
    },
    parts: load.parts,
  }
}

type Second = { requests: number; latency: Histogram; judged: number; failed: number }

/** Like followLoad, from lines; forgets old seconds. */
export function createRecentLoad(): { add(line: string): void; parts(): string[] } {
  const seconds = new Map<number, Second>()
  let first: number | undefined
  let newest = 0
  let hasBegun = false
  const see = (second: number) => {
    first ??= second
    if (second <= newest) return
    newest = second
    for (const kept of seconds.keys()) if (kept <= newest - SECONDS_KEPT) seconds.delete(kept)
  }
  const count = (point: SeriesPoint) => {
    if (point.time <= newest - SECONDS_KEPT || isOwn(point)) return
    const second = seconds.get(point.time) ?? emptySecond()
    seconds.set(point.time, second)
    if (point.metric === SINCE_DUE) {
      hasBegun = true
      second.requests += point.count
      addPart(second.latency, toHistogramPart(point))
    } else {
      second.judged += point.count
      second.failed += point.sum
    }
  }
  return {
    add(line) {
      const read = readPoint({ text: line, number: 0, terminated: true }, '', isCounted)
      // Other metrics show that a second has passed, even without requests.
      if (read.kind === 'unneeded') see(read.time)
      if (read.kind !== 'point') return
      see(read.point.time)
      if (isCounted(read.point.metric)) count(read.point)
    },
    parts: () =>
      hasBegun && first !== undefined
        ? formatParts([...seconds.values()], Math.min(newest - first + 1, SECONDS_KEPT))
        : [],
  }
}

const FAILURES = 'http_req_failed'

function isCounted(metric: string): boolean {
  return metric === SINCE_DUE || metric === FAILURES
}

/** A scenario's requests to the stub's control API or to a signer are not load. */
function isOwn({ tags }: SeriesPoint): boolean {
  return OWN_ROUTE_GROUPS.some((group) => group === tags.route_group)
}

function emptySecond(): Second {
  return { requests: 0, latency: createHistogram(), judged: 0, failed: 0 }
}

function formatParts(seconds: readonly Second[], length: number): string[] {
  const all = emptySecond()
  for (const { requests, latency, judged, failed } of seconds) {
    all.requests += requests
    all.judged += judged
    all.failed += failed
    mergeInto(all.latency, latency)
  }
  return [
    `${figure(all.requests / length)} req/s`,
    ...quantileTexts(all.latency),
    ...(all.judged === 0 ? [] : [`errors ${percent(all.failed / all.judged)}`]),
  ]
}

/** The highest percentile with enough requests; empty with too few. */
function quantileTexts(latency: Histogram): string[] {
  const shown = [0.95, 0.5].find((quantile) => supportedQuantile(latency, quantile) !== null)
  if (shown === undefined) return []
  return [`p${shown * 100} ${latencyText(supportedQuantile(latency, shown))}`]
}

const CHUNK_BYTES = 1 << 20

/** Passes on the whole lines that a file has gained since the last look; a missing file has none. */
export function followLines(file: string, onLine: (line: string) => void): { look(): Promise<void> } {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let read = 0
  let rest: Buffer = Buffer.alloc(0)
  return {
    async look() {
      const handle = await open(file).catch(() => undefined)
      if (handle === undefined) return
      try {
        for (;;) {
          const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, read)
          if (bytesRead === 0) return
          read += bytesRead
          // Split at line ends, which are never part of a multi-byte character.
          const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
          const end = bytes.lastIndexOf('\n') + 1
          rest = bytes.subarray(end)
          for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') onLine(line)
        }
      } finally {
        await handle.close()
      }
    },
  }
}

/**
 * Shows the progress of a run with one k6 until stopped: rules, time, waits and load. A log also gets the final state.
 */
export function followRun(
  folder: { file(name: string): string },
  { rules, secondsMax, io }: { rules: number; secondsMax: number; io: Io },
): { stop(): Promise<void> } {
  const startedMs = Date.now()
  const progress = createRuleProgress(rules)
  const findings = followLines(folder.file(RUN_FILES.findings), progress.add)
  const load = followLoad([folder.file(RUN_FILES.series)])
  const seconds = () => Math.round((Date.now() - startedMs) / 1000)
  const shown = showProgress(io, {
    async look() {
      await findings.look()
      await load.look()
    },
    parts: () => [
      progress.text(),
      `${seconds()} s of ${secondsMax} s`,
      progress.waitingText({ startedMs, nowMs: Date.now() }) ?? '',
      ...load.parts(),
    ],
  })
  return {
    async stop() {
      await shown.stop()
      if (!io.terminal.stderr) io.log(`${progress.text()}; ${seconds()} s`)
    },
  }
}

type RuleProgress = {
  add(line: string): void
  /** For example `24 of 172 rules, 0 failed`. */
  text(): string
  /** For example `waits until 75 s for a.b.c and 1 more`, in seconds since the start; undefined: nothing. */
  waitingText(clock: { startedMs: number; nowMs: number }): string | undefined
}

export function createRuleProgress(rules: number): RuleProgress {
  const judged = new Set<string>()
  const failed = new Set<string>()
  const waits: { rules: string[]; untilMs: number }[] = []
  return {
    add(line) {
      if (line.startsWith('{"waiting":1')) waits.push(...readWaiting(line))
      if (!line.startsWith('{"finding":1')) return
      const rule = /"rule":"([^"]*)"/.exec(line)?.[1] ?? line
      judged.add(rule)
      if (line.includes('"verdict":"fail"')) failed.add(rule)
    },
    text: () => `${judged.size} of ${rules} rules, ${failed.size} failed`,
    waitingText({ startedMs, nowMs }) {
      const going = waits
        .map(({ untilMs, rules }) => ({ untilMs, rules: rules.filter((rule) => !judged.has(rule)) }))
        .filter(({ untilMs, rules }) => untilMs > nowMs && rules.length > 0)
        .sort((a, b) => b.untilMs - a.untilMs)
      const [last] = going
      if (last === undefined) return undefined
      const seconds = Math.round((last.untilMs - startedMs) / 1000)
      return `waits until ${seconds} s for ${formatSome(going.flatMap((one) => one.rules))}`
    },
  }
}

function formatSome(rules: readonly string[]): string {
  const [first = '', ...others] = new Set(rules)
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

function readWaiting(line: string): { rules: string[]; untilMs: number }[] {
  try {
    return [waitingSchema.parse(JSON.parse(line))]
  } catch {
    // Another VU wrote into this line.
    return []
  }
}
