import { join } from 'node:path'
import { GENERATOR_TAG, TRACE_SHARE } from '../../contract/series.ts'
import { type K6Out, k6Args, outFlag, outSettings } from './k6-args.ts'
import { type K6Run, type RunK6Options, runK6 } from './run-k6.ts'

export type RunInstancesOptions = Pick<
  RunK6Options,
  'binary' | 'env' | 'cwd' | 'deadlineMs' | 'graceMs' | 'signal' | 'onLine'
> & {
  instances: number
  script: string
  /** Receives `series-1.ndjson`, `k6-1.stdout.log`, `k6-1.stderr.log` and so on. */
  folder: string
  /** All instances append to it. */
  findingsFile: string
  /** Also writes `history-1.log` and so on. */
  hasHistory?: boolean
  flags?: readonly string[]
  tags?: Readonly<Record<string, string>>
  /** k6's own outputs, in addition to the series. */
  outs?: readonly K6Out[]
  /** Keeps the output files of several runs apart: `trial-3`. */
  outLabel?: string
}

/** If true, k6 measures its own load on the machine (docs/reference/formats.md). */
export const WATCH = 'K6_SERIES_WATCH'

/** Several runs as one; the end is that of the first broken instance. */
export type InstancesRun = K6Run & {
  runs: K6Run[]
  seriesFiles: string[]
  /** Operation logs; empty without `hasHistory`. */
  historyFiles: string[]
  stderrFiles: string[]
}

/**
 * Runs k6 in several processes, each with its segment of the same load: arrival rates and VUs are split exactly, and
 * `exec.vu.idInTest` stays unique. If one fails, the others are stopped, because the rest is not the requested load.
 * One instance is a plain run.
 */
export async function runInstances(options: RunInstancesOptions): Promise<InstancesRun> {
  const { instances, folder, signal } = options
  const broken = new AbortController()
  const numbers = Array.from({ length: instances }, (_, index) => index + 1)
  const runs = await Promise.all(
    numbers.map(async (number) => {
      const run = await runK6({
        ...options,
        k6EnvPrefixes: [WATCH, TRACE_SHARE.variable, ...outSettings(options.outs ?? [])],
        processes: instances,
        args: k6Args({
          script: options.script,
          seriesFile: seriesFile(folder, number),
          findingsFile: options.findingsFile,
          historyFile: options.hasHistory === true ? historyFile(folder, number) : undefined,
          flags: [
            ...segmentFlags(number, instances),
            ...tagFlags(options, number),
            ...outFlags(options, number),
            ...(options.flags ?? []),
          ],
        }),
        stdoutFile: join(folder, `k6-${number}.stdout.log`),
        stderrFile: stderrFile(folder, number),
        signal: signal === undefined ? broken.signal : AbortSignal.any([signal, broken.signal]),
      }).catch((error) => {
        broken.abort()
        throw error
      })
      if (run.exitCode !== 0) broken.abort()
      return run
    }),
  )
  return {
    ...joined(runs, signal?.aborted === true),
    runs,
    seriesFiles: listSeriesFiles(folder, instances),
    historyFiles: options.hasHistory === true ? numbers.map((number) => historyFile(folder, number)) : [],
    stderrFiles: numbers.map((number) => stderrFile(folder, number)),
  }
}

export function listSeriesFiles(folder: string, instances: number): string[] {
  return Array.from({ length: instances }, (_, index) => seriesFile(folder, index + 1))
}

function seriesFile(folder: string, number: number): string {
  return join(folder, `series-${number}.ndjson`)
}

function historyFile(folder: string, number: number): string {
  return join(folder, `history-${number}.log`)
}

function stderrFile(folder: string, number: number): string {
  return join(folder, `k6-${number}.stderr.log`)
}

function segmentFlags(number: number, instances: number): string[] {
  if (instances === 1) return []
  const bounds = Array.from({ length: instances + 1 }, (_, at) => `${at}/${instances}`)
  return [
    `--execution-segment=${number - 1}/${instances}:${number}/${instances}`,
    `--execution-segment-sequence=${bounds.join(',')}`,
  ]
}

function tagFlags({ tags = {}, outs = [], instances }: RunInstancesOptions, number: number): string[] {
  const all = { ...tags, ...(outs.length > 0 && instances > 1 ? { [GENERATOR_TAG]: String(number) } : {}) }
  return Object.entries(all).map(([name, value]) => `--tag=${name}=${value}`)
}

function outFlags({ outs = [], outLabel, instances }: RunInstancesOptions, number: number): string[] {
  const label = [outLabel, instances > 1 ? String(number) : undefined].filter(Boolean).join('-')
  return outs.map((out) => outFlag(out, label))
}

/** Reports the instance that failed on its own; the others were stopped because of it. */
function joined(runs: readonly K6Run[], wasInterrupted: boolean): K6Run {
  const bad = runs.filter(({ exitCode }) => exitCode !== 0)
  const decisive = bad.find(({ reason }) => reason === 'finished') ?? bad[0] ?? runs[0]
  if (decisive === undefined) throw new RangeError('no instance to run')
  return {
    ...decisive,
    reason: wasInterrupted ? 'interrupted' : decisive.reason,
    startedAtMs: Math.min(...runs.map(({ startedAtMs }) => startedAtMs)),
    finishedAtMs: Math.max(...runs.map(({ finishedAtMs }) => finishedAtMs)),
  }
}
