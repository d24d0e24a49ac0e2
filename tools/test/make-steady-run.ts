import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../contract/run.ts'
import { bucketsOf, makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'

const SECONDS = 10
const REQUESTS_EACH = 100
export const STEADY_LOAD = { rate: 200, warmUpSeconds: 0, seconds: SECONDS }

/** Writes a run folder of two routes with steady latencies. They spread by 30 %, and no two numbers give the same ones. */
export async function makeSteadyRun(
  cwd: string,
  name: string,
  options: { number: number; poolsMs?: number; run?: Partial<Run> },
) {
  const dir = join(cwd, name)
  const run = { id: name.replaceAll('/', '.'), job: 'load', mix: 'reads', load: STEADY_LOAD, ...options.run }
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 1, series: [], run })
  const [header, end] = readFileSync(join(dir, 'series.ndjson'), 'utf8').trimEnd().split('\n')
  const points = Array.from({ length: SECONDS }, (_, second) =>
    [
      { name: 'GET /pools', medianMs: options.poolsMs ?? 20 },
      { name: 'GET /tokens', medianMs: 20 },
    ].map(({ name, medianMs }) =>
      JSON.stringify(pointOf({ name, medianMs, second, number: options.number })),
    ),
  ).flat()
  writeFileSync(join(dir, 'series.ndjson'), `${[header, ...points, end].join('\n')}\n`)
  return dir
}

function pointOf(options: { name: string; medianMs: number; second: number; number: number }) {
  const { name, medianMs, second, number } = options
  const samples = Array.from({ length: REQUESTS_EACH }, (_, index) => {
    const [golden, whole] = [0.618034, 1]
    return medianMs * (0.85 + 0.3 * ((golden * (index + 7.3 * second + 31.7 * number)) % whole))
  })
  return {
    time: SYNTHETIC_START + second,
    metric: 'http_req_duration',
    type: 'trend',
    contains: 'time',
    tags: { route_group: 'reads', name, status: '200' },
    count: samples.length,
    sum: samples.reduce((sum, sample) => sum + sample, 0),
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: 0,
    buckets: bucketsOf(samples),
  }
}
