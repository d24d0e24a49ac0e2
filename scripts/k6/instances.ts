import { join } from 'node:path'
import { GENERATOR_TAG } from '../../contract/series.ts'
import { type K6Out, k6Args, outFlag, outSettings } from './k6-args.ts'
import { type K6Run, type RunK6Options, runK6 } from './run-k6.ts'

export type RunInstancesOptions = Pick<
  RunK6Options,
  'binary' | 'env' | 'cwd' | 'deadlineMs' | 'graceMs' | 'signal' | 'onLine'
> & {
  /** k6 processes, each with an equal segment of the load. */
  instances: number
  script: string
  /** Takes `series-1.ndjson`, `k6-1.stdout.log`, `k6-1.stderr.log`, and so on. */
  folder: string
  /** All of them append to it. */
  findingsFile: string
  /** Further flags of `k6 run`. */
  flags?: readonly string[]
  /** Of all samples. They replace those that the script's own options name. */
  tags?: Readonly<Record<string, string>>
  /** Of k6's own, beside the series. */
  outs?: readonly K6Out[]
  /** Tells this run's files of such outputs apart from those of others: `trial-3`. */
  outLabel?: string
}

/** Set to true, k6 measures its own load on the machine (docs/formats.md). */
export const WATCH = 'K6_SERIES_WATCH'

/** One run made of several; what it ended by is what the first of them that broke ended by. */
export type InstancesRun = K6Run & {
  runs: K6Run[]
  seriesFiles: string[]
  stderrFiles: string[]
}

/**
 * Runs k6 in several processes, each with its segment of the same load: arrival rates and VUs are split exactly, and
 * `exec.vu.idInTest` stays unique over all. Where one of them ends badly, the others are ended: their load is not the one that
 * was asked for. With one instance it is a plain run.
 */
export async function runInstances(options: RunInstancesOptions): Promise<InstancesRun> {
  const { instances, folder, signal } = options
  const broken = new AbortController()
  const numbers = Array.from({ length: instances }, (_, index) => index + 1)
  const runs = await Promise.all(
    numbers.map(async (number) => {
      const run = await runK6({
        ...options,
        envKept: [WATCH, ...outSettings(options.outs ?? [])],
        processes: instances,
        args: k6Args({
          script: options.script,
          seriesFile: seriesFileOf(folder, number),
          findingsFile: options.findingsFile,
          flags: [
            ...segmentFlags(number, instances),
            ...tagFlags(options, number),
            ...outFlags(options, number),
            ...(options.flags ?? []),
          ],
        }),
        stdoutFile: join(folder, `k6-${number}.stdout.log`),
        stderrFile: stderrFileOf(folder, number),
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
    seriesFiles: seriesFilesOf(folder, instances),
    stderrFiles: numbers.map((number) => stderrFileOf(folder, number)),
  }
}

/** Where the k6 processes of one load write their series. */
export function seriesFilesOf(folder: string, instances: number): string[] {
  return Array.from({ length: instances }, (_, index) => seriesFileOf(folder, index + 1))
}

function seriesFileOf(folder: string, number: number): string {
  return join(folder, `series-${number}.ndjson`)
}

function stderrFileOf(folder: string, number: number): string {
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

/** Of those that ended badly, the one that did so by itself tells why; the others were ended for it. */
function joined(runs: readonly K6Run[], wasInterrupted: boolean): K6Run {
  const bad = runs.filter(({ exitCode }) => exitCode !== 0)
  const telling = bad.find(({ reason }) => reason === 'finished') ?? bad[0] ?? runs[0]
  if (telling === undefined) throw new RangeError('no instance to run')
  return {
    ...telling,
    reason: wasInterrupted ? 'interrupted' : telling.reason,
    startedAtMs: Math.min(...runs.map(({ startedAtMs }) => startedAtMs)),
    finishedAtMs: Math.max(...runs.map(({ finishedAtMs }) => finishedAtMs)),
  }
}
