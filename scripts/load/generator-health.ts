import type { GeneratorHealth } from '../../contract/capacity.ts'
import { findPoints } from '../../reports/series/read-series.ts'

export type HealthWindow = {
  /** Unix seconds; `to` is exclusive. */
  from: number
  to: number
  /** Cores per process, if its file does not have them. */
  cores: number
}

/** Sum and maximum by metric (docs/reference/formats.md). */
type OwnFigures = Map<string, { sum: number; max: number }>

/**
 * Health of the k6 processes of one machine or pod. Figures without data for these seconds are null, as are all of a
 * missing file.
 */
export async function readGeneratorHealth(
  files: readonly string[],
  window: HealthWindow,
): Promise<GeneratorHealth> {
  const processes: OwnFigures[] = []
  for (const file of files) processes.push(await readFigures(file, window))
  const all = (metric: string, of: 'sum' | 'max') =>
    processes.flatMap((figures) => figures.get(metric)?.[of] ?? [])
  const greatest = (metric: string, of: 'sum' | 'max' = 'max') => {
    const values = all(metric, of)
    return values.length === 0 ? null : Math.max(...values)
  }
  const total = (metric: string, of: 'sum' | 'max' = 'sum') => {
    const values = all(metric, of)
    return values.length === 0 ? null : sum(values)
  }
  const ratio = (part: number | null, whole: number | null) => (part === null || !whole ? null : part / whole)

  const seconds = greatest('generator_seconds', 'sum')
  const coresMax = sum(processes.map((figures) => figures.get('generator_cores_max')?.max ?? window.cores))
  const openFiles = total('generator_open_files', 'max')
  const timeWaitSockets = greatest('generator_time_wait_sockets')
  return {
    cpuCores: ratio(total('generator_cpu_seconds'), seconds),
    cpuCoresMax: Math.min(coresMax, greatest('generator_machine_cores') ?? coresMax),
    machineBusy: ratio(total('generator_machine_busy_seconds'), total('generator_machine_seconds')),
    runQueueCores: ratio(total('generator_run_delay_seconds'), seconds),
    throttledShare: ratio(total('generator_throttled_periods'), total('generator_periods')),
    // Each process has its own limit.
    openFilesMax: greatest('generator_open_files'),
    openFilesLimit: greatest('generator_open_files_limit'),
    // Nearly all of k6's open files are sockets.
    portsUsedMax: openFiles === null || timeWaitSockets === null ? null : openFiles + timeWaitSockets,
    portsMax: greatest('generator_ports_max'),
    residentMbMax: total('generator_resident_mb', 'max'),
  }
}

async function readFigures(file: string, { from, to }: HealthWindow): Promise<OwnFigures> {
  const figures: OwnFigures = new Map()
  for await (const { time, metric, sum, max = 0 } of findPoints(file, 'generator_')) {
    if (time < from || time >= to) continue
    const before = figures.get(metric) ?? { sum: 0, max: 0 }
    figures.set(metric, { sum: before.sum + sum, max: Math.max(before.max, max) })
  }
  return figures
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
