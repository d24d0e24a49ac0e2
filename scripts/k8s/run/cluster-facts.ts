import { open } from 'node:fs/promises'
import type { GeneratorHealth, TrialFacts } from '../../../contract/capacity.ts'
import type { SeriesPoint } from '../../../contract/series.ts'
import { findPoints } from '../../../reports/series/read-series.ts'
import { cutWindow, judgedWindow, loadStartOf } from '../../capacity/judge-trial.ts'
import type { TargetWatch } from '../../capacity/scrape-target.ts'
import { mergedGenerator } from '../../past-runs/merged-run.ts'
import type { RunRecord } from '../run-record.ts'

/** How the runners of a load ended. */
export type ClusterEnd = Pick<TrialFacts, 'ended' | 'reason'>

/** The facts of the one trial that a run in a cluster is, by what its runners wrote. */
export async function clusterFacts(options: {
  record: RunRecord
  /** What each runner measured. */
  seriesFiles: readonly string[]
  end: ClusterEnd
  target: TargetWatch | null
}): Promise<TrialFacts> {
  const { record, seriesFiles, end, target } = options
  const { rate, warmUpSeconds, seconds } = record.load
  const startMs = await loadStartOf(seriesFiles)
  const planned = startMs === null ? null : judgedWindow({ startMs, warmUpSeconds, seconds })
  const endMs = await seriesEndOf(seriesFiles)
  // From when on one of them was missing, it was not the load that was asked for.
  const window = planned === null || endMs === null ? null : cutWindow(planned, endMs)
  const [first, ...others] = seriesFiles
  if (first === undefined) throw new RangeError('no runner')
  const generator = await runnersHealth([first, ...others], { ...(window ?? NO_WINDOW), cores: record.cpu })
  return {
    trial: 1,
    phase: 'stage',
    rate,
    rateFrom: null,
    warmUpSeconds,
    seconds,
    judgedFrom: window?.from ?? null,
    judgedTo: window?.to ?? null,
    ended: end.ended,
    reason: end.reason,
    instances: record.parallelism,
    vusMax: record.vusMax,
    generator,
    target: target?.health({ fromMs: (window?.from ?? 0) * 1000, toMs: (window?.to ?? 0) * 1000 }) ?? null,
  }
}

/** Nothing was judged. */
const NO_WINDOW = { from: 0, to: 0 }

/** More than a second of any runner. */
const TAIL_BYTES = 1 << 20

/**
 * Unix ms, by the clocks of their nodes: until when all of the files of a load tell of it. What a runner that was killed has not
 * pushed is not there to be told of. Null: one of them tells of nothing.
 */
export async function seriesEndOf(files: readonly string[]): Promise<number | null> {
  let leastMs = Number.POSITIVE_INFINITY
  // One after another: the tails of hundreds are not to lie in memory together.
  for (const file of files) {
    const endMs = await endOf(file)
    if (endMs === null) return null
    leastMs = Math.min(leastMs, endMs)
  }
  return leastMs
}

async function endOf(file: string): Promise<number | null> {
  const lines = (await tailOf(file)).split('\n')
  // What follows the last line end is no whole line.
  for (const line of lines.slice(0, -1).reverse()) {
    const endMs = endIn(line)
    if (endMs !== null) return endMs
  }
  return null
}

/** The end line has the time of the end; a point is of a whole second. */
function endIn(line: string): number | null {
  try {
    const { type, time } = JSON.parse(line)
    if (type === 'end') return Date.parse(time)
    return typeof time === 'number' ? (time + 1) * 1000 : null
  } catch {
    return null // the tail begins within a line
  }
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => null)
  if (handle === null) return ''
  try {
    const { size } = await handle.stat()
    const position = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - position), position })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Of a judged part. */
type HealthWindow = {
  /** Unix seconds: from, and up to but not including. */
  from: number
  to: number
  /** Cores that a runner was given: of one whose file does not tell how many it may use. */
  cores: number
}

/** What a k6 told of itself in its series (docs/formats.md). */
type OwnPoint = Required<Pick<SeriesPoint, 'metric' | 'sum' | 'max'>>

/** What all runners of a load did, by the series of each: what they told of themselves while they ran. */
export async function runnersHealth(
  [first, ...others]: readonly [string, ...string[]],
  window: HealthWindow,
): Promise<GeneratorHealth> {
  const all = [await runnerHealth(first, window)]
  for (const file of others) all.push(await runnerHealth(file, window))
  return mergedGenerator(all)
}

/** The same of one runner; null for what its file does not tell of this window, or where there is no file. */
export async function runnerHealth(
  file: string,
  { from, to, cores }: HealthWindow,
): Promise<GeneratorHealth> {
  const points: OwnPoint[] = []
  for await (const { time, metric, sum, max = 0 } of findPoints(file, 'generator_')) {
    if (time >= from && time < to) points.push({ metric, sum, max })
  }
  const of = (metric: string) => points.filter((point) => point.metric === metric)
  const most = (metric: string): number | null =>
    of(metric).reduce<number | null>((most, { max }) => Math.max(most ?? 0, max), null)
  const ratio = (metric: string, whole: string): number | null => {
    const total = sumOf(of(whole)) ?? 0
    const part = sumOf(of(metric))
    return part === null || total <= 0 ? null : part / total
  }
  return {
    cpuCores: ratio('generator_cpu_seconds', 'generator_seconds'),
    cpuCoresMax: most('generator_cores_max') ?? cores,
    machineBusy: null, // the node's, which others have a share in
    runQueueCores: ratio('generator_run_delay_seconds', 'generator_seconds'),
    throttledShare: ratio('generator_throttled_periods', 'generator_periods'),
    openFilesMax: most('generator_open_files'),
    openFilesLimit: most('generator_open_files_limit'),
    portsUsedMax: most('generator_ports_used'),
    portsMax: most('generator_ports_max'),
    residentMbMax: most('generator_resident_mb'),
  }
}

function sumOf(points: readonly OwnPoint[]): number | null {
  return points.length === 0 ? null : points.reduce((total, { sum }) => total + sum, 0)
}
