import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSyntheticRun } from '../reports/synthetic-run.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { BreakwaterError, compareRuns, readReport, writeReport } from './report.ts'

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
  [
    () => call(readReport),
    /^readReport: not a valid set of arguments:\n {2}folder: missing; expected a string$/,
  ],
  [() => call(readReport, 'runs', { slo: 5 }), /\n {2}options\.slo: expected a string, found a number$/],
  [
    () => call(writeReport, 'runs', { formats: ['pdf'] }),
    /\n {2}options\.formats\[0\]: unknown name "pdf"; /,
  ],
  [
    () => call(writeReport, 'runs', { formats: 'junit' }),
    /\n {2}options\.formats: expected a list, found a string$/,
  ],
  [() => call(writeReport, 'runs', { fmt: 5 }), /\n {2}options\.fmt: unknown key; /],
  [
    () => call(compareRuns),
    /^compareRuns: not a valid set of options:\n {2}\(top level\): expected an object$/,
  ],
  [() => call(compareRuns, { a: [], b: ['x'] }), /\n {2}a: expected at least 1 item$/],
  [() => call(compareRuns, { a: 'x', b: ['x'] }), /\n {2}a: expected a list, found a string$/],
  [
    () => call(compareRuns, { a: ['x'], b: ['y'], allowSingleRun: 'x' }),
    /\n {2}allowSingleRun: expected true or false/,
  ],
])('rejects with one clear error', async (rejected, message) => {
  await expect(rejected()).rejects.toThrow(BreakwaterError)
  await expect(rejected()).rejects.toThrow(message)
})

/** As a caller without types. */
async function call(of: (...given: never[]) => Promise<unknown>, ...given: unknown[]): Promise<unknown> {
  return of(...(given as never[])) // as: bad arguments on purpose
}

test('compareRuns rejects the same run twice', async () => {
  const [a, b] = [await runFolder(1), await runFolder(2)]
  await expect(compareRuns({ a: [a, a], b: [b, b] })).rejects.toThrow(
    `${a}: contains the run run-1, and so does ${a}: it would count twice`,
  )
})
