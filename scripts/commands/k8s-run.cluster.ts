import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { readSeries } from '../../reports/series/read-series.ts'
import { computeQuantile, computeRank } from '../../reports/statistics/histogram.ts'
import {
  type GivenCluster,
  type GivenClusterStub,
  givenClaim,
  givenCluster,
  givenClusterStub,
  leftInCluster,
  measuredCounts,
  untilMeasured,
} from '../../tools/test/cluster/given-cluster.ts'

const LOAD = '--mix reads --rate 60 --duration 8s --warm-up 2s --cpu 0.1 --output run --json'.split(' ')
const REQUESTS = 600
/** Requests of all runners that are under way at one time. */
const UNDER_WAY_MAX = 4

test.each([
  ['2 runners, with the script in a ConfigMap', 2, 'configmap'],
  ['4 runners, with the script of the image', 4, 'image'],
])('%s: together they measure what the target counted', async (_, parallelism, script) => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster)
  const options = ['--parallelism', `${parallelism}`, '--script', script]
  const { report, counts } = await load(cluster, stub, options)
  expect(report.run).toMatchObject({ state: 'finished', instances: parallelism })
  expect(counts).toEqual(await stub.counted())
  // The planned requests, and the arrivals at either end of each runner.
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  expect(Math.abs(all - REQUESTS)).toBeLessThanOrEqual(3 * parallelism)
  expect(leftInCluster(cluster)).toEqual([])
})

test.runIf(process.env.KUBE_HOME)(
  'percentiles of the merged run match those of all samples, within a bucket',
  async () => {
    const cluster = await givenCluster()
    const stub = await givenClusterStub(cluster)
    const { claim, folder } = givenClaim(cluster)
    const results = ['--results', `claim=${claim}`, '--k6-out', 'json=samples.json']
    const { file, counts } = await load(cluster, stub, [...results, '--parallelism', '2'])
    expect(counts).toEqual(await stub.counted())

    const files = readdirSync(folder).filter((name) => /^samples.*\.json$/.test(name))
    expect(files).toHaveLength(2)
    const samples = samplesByRoute(files.map((name) => join(folder, name)))
    const { series } = await readSeries(file)
    // Latency counts from when a request was due, k6's own output from when it was sent.
    for (const { name, responseTime } of series.routes.values()) {
      const values = samples.get(name) ?? []
      expect([name, responseTime.count]).toEqual([name, values.length])
      for (const quantile of [0, 0.5, 0.95, 0.99, 1]) {
        const exact = values[computeRank(quantile, values.length) - 1] ?? Number.NaN
        expect(Math.abs((computeQuantile(responseTime, quantile) ?? Number.NaN) / exact - 1)).toBeLessThan(
          0.0028,
        )
      }
    }
  },
)

test('Ctrl-C stops the runners, keeps their measurements, and leaves nothing in the cluster', async () => {
  const cluster = await givenCluster()
  const { cwd, env, target, counted } = await givenClusterStub(cluster)
  const argv = ['k8s', 'run', ...target, ...LOAD, '--name', 'load', '--duration', '200s', ...cluster.options]
  const interrupt = new AbortController()
  onTestFinished(() => interrupt.abort())
  const running = cluster.breakwater(argv, { cwd, env, interrupted: interrupt.signal })
  await untilMeasured(cluster, 'load')
  interrupt.abort()
  const { exitCode, stdout } = await running
  expect(exitCode).toBe(EXIT.interrupted)
  expect(reportSchema.parse(JSON.parse(stdout)).run.state).toBe('interrupted')
  const { complete, counts } = await measuredCounts(join(cwd, 'run', RUN_FILES.series))
  expect(complete).toBe(true)
  // The target counts requests that the interrupt cuts, and k6 does not.
  const missing = Object.entries(await counted()).map(([name, count]) => count - (counts[name] ?? 0))
  expect(Math.min(...missing)).toBeGreaterThanOrEqual(0)
  expect(missing.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(UNDER_WAY_MAX)
  expect(leftInCluster(cluster)).toEqual([])
})

/** Runs a load that passes. */
async function load(
  cluster: GivenCluster,
  { cwd, env, target }: GivenClusterStub,
  options: readonly string[],
): Promise<{ report: Report; file: string; counts: Record<string, number> }> {
  const argv = ['k8s', 'run', ...target, ...LOAD, ...cluster.options, ...options]
  const { exitCode, stdout, stderr } = await cluster.breakwater(argv, { cwd, env })
  expect([exitCode, stderr]).toEqual([EXIT.ok, expect.not.stringContaining('breakwater:')])
  const file = join(cwd, 'run', RUN_FILES.series)
  const { complete, counts } = await measuredCounts(file)
  expect(complete).toBe(true)
  return { report: reportSchema.parse(JSON.parse(stdout)), file, counts }
}

/** Sorted latencies of each route in k6's own output, in milliseconds. */
function samplesByRoute(files: readonly string[]): Map<string, number[]> {
  const samples = new Map<string, number[]>()
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  for (const line of lines.filter((text) => /"metric":"http_req_duration","type":"Point"/.test(text))) {
    const { data } = JSON.parse(line) as { data: { value: number; tags: { name: string } } } // as: k6's own form
    samples.set(data.tags.name, [...(samples.get(data.tags.name) ?? []), data.value])
  }
  return new Map([...samples].map(([name, values]) => [name, values.toSorted((a, b) => a - b)]))
}
