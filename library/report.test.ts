import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSyntheticRun } from '../reports/synthetic-run.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { compareRuns, readReport, writeReport } from './report.ts'

const SLO = { name: 'test', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 100 }] }

/** A run folder of 30 seconds of requests. */
async function runFolder(seed = 1): Promise<string> {
  const dir = join(temporaryFolder(), 'run')
  const tags = { name: 'GET /pools', route_group: 'pools' }
  const series = [{ metric: 'http_req_duration', type: 'trend' as const, tags }]
  await makeSyntheticRun({
    dir,
    seed,
    seconds: 30,
    samplesPerSecond: 20,
    series,
    run: { id: `run-${seed}`, slo: SLO },
  })
  return dir
}

test('readReport judges a run folder and writes nothing', async () => {
  const dir = await runFolder()
  const before = readdirSync(dir)
  const report = await readReport(dir)
  expect(report).toMatchObject({ verdict: 'pass', exitCode: 0, slo: { name: 'test' } })
  expect(report.latency.routes).toMatchObject([{ name: 'GET /pools', count: 600 }])
  expect(readdirSync(dir)).toEqual(before)
})

test('writeReport writes the formats that it is given', async () => {
  const dir = await runFolder()
  await writeReport(dir, { formats: ['junit'] })
  expect(readdirSync(dir)).toContain('junit.xml')
  expect(readdirSync(dir)).not.toContain('report.html')
})

test('compareRuns compares two sides', async () => {
  const sides = { a: [await runFolder(1)], b: [await runFolder(2)] }
  expect(await compareRuns(sides)).toMatchObject({ verdict: 'not comparable' })
  expect(await compareRuns({ ...sides, allowSingleRun: true })).toMatchObject({
    exitCode: 0,
    method: { singleRuns: true },
  })
})

test.each([
  [() => readReport('nowhere'), /^nowhere/],
  [async () => readReport(await runFolder(), { slo: 'sunshine' }), /sunshine/],
])('rejects with one clear error', async (call, message) => {
  await expect(call()).rejects.toThrow(message)
})
