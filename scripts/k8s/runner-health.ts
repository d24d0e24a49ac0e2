import type { GeneratorHealth } from '../../contract/capacity.ts'
import type { SeriesPoint } from '../../contract/series.ts'
import { findPoints } from '../../reports/series/find-points.ts'
import { mergedGenerator } from '../merge/merged-trial.ts'

/** Of a judged part. */
export type HealthWindow = {
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
