/** Run folders of several generators of one load, for tests. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import type { SeriesPoint } from '../../contract/series.ts'
import {
  bucketSamples,
  makeSyntheticRun,
  SYNTHETIC_START,
  writeLoadTrial,
} from '../../reports/synthetic-run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

export const SLO = { name: 'fast', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 20 }] }

export const LOAD = { rate: 10, warmUpSeconds: 1, seconds: 3 }

export const RUN = { job: 'load', mix: 'reads', slo: SLO, load: LOAD, machine: 'small', seed: 7 }

/** Writes two runs of one load; `run` overrides fields of the second. */
export async function twoRuns(run: Partial<Run> = {}): Promise<string> {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'a', { ms: 10, count: 10 })
  await makeRun(cwd, 'b', { ms: 10, count: 10, run })
  return cwd
}

/** Writes a run of four seconds, each with `count` iterations of one request of `ms`. */
export async function makeRun(
  cwd: string,
  name: string,
  { run, ...each }: { ms: number; count: number; run?: Partial<Run> },
): Promise<void> {
  const dir = join(cwd, name)
  const options = { seed: 1, seconds: 0, samplesPerSecond: 0, series: [] }
  await makeSyntheticRun({ ...options, dir, run: { ...RUN, id: `${name}-id`, ...run } })
  writeSeries(
    join(dir, RUN_FILES.series),
    [0, 1, 2, 3].flatMap((second) => pointsAt(second, each)),
  )
  if (run?.load !== null) writeLoadTrial(dir, LOAD, { judgedTo: SYNTHETIC_START + 4 })
}

/** Samples of one second. */
export function pointsAt(second: number, { ms, count }: { ms: number; count: number }): SeriesPoint[] {
  const common = { time: SYNTHETIC_START + second, contains: 'default', tags: { trial: '1' }, count }
  return [
    {
      ...{
        ...common,
        metric: 'http_req_duration',
        type: 'trend',
        sum: ms * count,
        min: ms,
        max: ms,
        zero: 0,
      },
      buckets: bucketSamples(Array(count).fill(ms)),
    },
    { ...common, metric: 'http_req_failed', type: 'rate', sum: 0 },
    { ...common, metric: 'iterations', type: 'counter', sum: count },
  ]
}

/** Writes a complete series file. */
export function writeSeries(file: string, points: readonly SeriesPoint[]): void {
  const header = { type: 'header', format: 1, k6: '2.2.0', start: '2026-01-02T03:04:05.000Z', scale: 7 }
  const lines = [header, ...points, { type: 'end', time: '2026-01-02T03:04:09.000Z', samples: 0 }]
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

export function merge(cwd: string, ...argv: string[]) {
  const out = argv.includes('--output') ? [] : ['--output', 'm']
  return runCommandLine(['merge', ...argv, ...out], { cwd })
}

export function readRunFile(cwd: string, name: string): Run {
  return JSON.parse(readFileSync(join(cwd, name, RUN_FILES.run), 'utf8'))
}
