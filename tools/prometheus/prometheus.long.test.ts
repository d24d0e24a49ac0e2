import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { mergeSeries } from '../../reports/series/append-series.ts'
import { readSeries } from '../../reports/series/read-series.ts'
import { parseK6Out } from '../../scripts/k6/k6-args.ts'
import { startStub } from '../../simulator/stub.ts'
import { cachedK6, countedBy, loadStub } from '../test/given-stub.ts'
import { findPrometheus, foundOrSkipped, PROMETHEUS_REMEDY } from '../test/programs.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { startPrometheus } from './test-prometheus.ts'

const prometheus = foundOrSkipped(findPrometheus(process.env), {
  what: 'Prometheus',
  remedy: PROMETHEUS_REMEDY,
  env: process.env,
  tell: console.error,
})
const k6 = await cachedK6()

const SCRAPED = 'sum by (route) (breakwater_http_requests_total{job="stub", route=~"/pools.*"})'
const RECEIVED = 'sum by (name) (k6_http_reqs_total{name=~"/pools.*"})'

test.runIf(prometheus && k6)(
  'a real Prometheus that scrapes the stub and gets remote writes of two k6 has the counts of the stub and the series',
  async () => {
    const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
    onTestFinished(() => stub.close())
    const { query, remoteWriteUrl } = await startPrometheus(
      prometheus ?? '',
      new URL(`${stub.profile.baseUrl}/metrics`),
    )
    const folder = temporaryFolder()
    const run = await loadStub({
      ...{ binary: k6, instances: 2, folder, stub },
      outs: [parseK6Out('experimental-prometheus-rw', folder), parseK6Out('json=out.json', folder)],
      env: { ...process.env, K6_PROMETHEUS_RW_SERVER_URL: remoteWriteUrl },
    })
    expect(run.exitCode).toBe(0)
    const counted = await countedBy(stub)
    expect(Object.keys(counted)).toEqual(['/pools', '/pools/:key'])

    // k6 flushes before it exits.
    expect(await query(RECEIVED)).toEqual(byLabel('name', counted))
    expect(await query('count by (k6_instance) (k6_http_reqs_total)')).toEqual(
      new Map(['1', '2'].map((number) => [JSON.stringify({ k6_instance: number }), 2])),
    )
    await vi.waitFor(async () => expect(await query(SCRAPED)).toEqual(byLabel('route', counted)), {
      timeout: 30_000,
    })
    expect(['out-1.json', 'out-2.json'].map((name) => existsSync(join(folder, name)))).toEqual([true, true])

    const output = join(folder, 'series.ndjson')
    const inputs = run.seriesFiles.map((file) => ({ file, name: file }))
    await mergeSeries({ inputs, output, version: '2.2.0', startMs: 0, nowMs: 0 })
    const { series } = await readSeries(output)
    const measured = [...series.routes.values()].map(({ name, latency }) => [name, latency.count])
    expect(Object.fromEntries(measured)).toEqual(counted)
  },
)

function byLabel(label: string, counts: Readonly<Record<string, number>>): Map<string, number> {
  return new Map(Object.entries(counts).map(([value, count]) => [JSON.stringify({ [label]: value }), count]))
}
