import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mergeSeries } from '../../reports/series/append-series.ts'
import { readSeries } from '../../reports/series/read-series.ts'
import { startStub } from '../../simulator/stub.ts'
import { cachedK6, countedBy, loadStub } from '../../tools/test/given-stub.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { type RunInstancesOptions, runInstances } from './instances.ts'

const k6 = await cachedK6()

test('three instances get equal segments and their own files', async () => {
  const { folder, run } = await runFake(3, 'console.log(process.argv.slice(2).join(" "))')
  expect(run).toMatchObject({ exitCode: 0, reason: 'finished', meaning: 'finished' })
  expect(run.seriesFiles).toEqual([1, 2, 3].map((number) => join(folder, `series-${number}.ndjson`)))
  const said = [1, 2, 3].map((number) => readFileSync(join(folder, `k6-${number}.stdout.log`), 'utf8'))
  expect(
    said.map((line) => /--execution-segment=(\S+) --execution-segment-sequence=(\S+)/.exec(line)?.slice(1)),
  ).toEqual([
    ['0/3:1/3', '0/3,1/3,2/3,3/3'],
    ['1/3:2/3', '0/3,1/3,2/3,3/3'],
    ['2/3:3/3', '0/3,1/3,2/3,3/3'],
  ])
  expect(said.every((line) => line.includes(`--console-output=${join(folder, 'findings.ndjson')}`))).toBe(
    true,
  )
})

test('one instance has no segment, and its tags unchanged', async () => {
  const { folder } = await runFake(1, 'console.log(process.argv.slice(2).join(" "))', {
    tags: { trial: '3' },
  })
  const said = readFileSync(join(folder, 'k6-1.stdout.log'), 'utf8')
  expect(said).not.toContain('segment')
  expect(said).toContain(' --tag=trial=3 ')
})

test('k6 outputs get a process tag, their own file and only their own settings', async () => {
  const { folder } = await runFake(
    2,
    'console.log(process.argv.slice(2).join(" "), process.env.K6_CSV_TIME_FORMAT, process.env.K6_VUS)',
    {
      outs: [{ name: 'csv', argument: '/tmp/out.csv.gz' }],
      outLabel: 'trial-7',
      env: { ...process.env, K6_CSV_TIME_FORMAT: 'unix', K6_VUS: '100' },
    },
  )
  const said = readFileSync(join(folder, 'k6-2.stdout.log'), 'utf8')
  expect(said).toContain(' --tag=k6_instance=2 ')
  expect(said).toContain(' --out=csv=/tmp/out-trial-7-2.csv.gz ')
  expect(said).toMatch(/ unix undefined\n$/)
})

// By its number or by chance: the first to take the lock fails.
test('if one fails, the others are stopped, and its end is that of the whole', async () => {
  const { run } = await runFake(
    3,
    `import { mkdirSync } from 'node:fs'
     process.on('SIGINT', () => process.exit(105))
     try { mkdirSync('lock'); process.exitCode = 107 } catch { setTimeout(() => {}, 60_000) }`,
  )
  expect(run).toMatchObject({ exitCode: 107, reason: 'finished', meaning: 'the script threw an exception' })
  expect(run.runs.map(({ reason }) => reason).sort()).toEqual(['finished', 'interrupted', 'interrupted'])
})

test('an interruption reaches all instances', async () => {
  const abort = new AbortController()
  let ready = 0
  const { run } = await runFake(
    3,
    `process.on('SIGINT', () => process.exit(105)); setTimeout(() => {}, 60_000); console.log('ready')`,
    {
      signal: abort.signal,
      onLine: (line) => {
        ready += line === 'ready' ? 1 : 0
        if (ready === 3) abort.abort()
      },
    },
  )
  expect(run).toMatchObject({ exitCode: 105, reason: 'interrupted' })
  expect(run.runs.map(({ exitCode, reason }) => [exitCode, reason])).toEqual(
    Array(3).fill([105, 'interrupted']),
  )
})

test('reports a program that cannot be started, whatever the others did', async () => {
  await expect(runFake(2, '', { binary: '/nowhere/k6' })).rejects.toMatchObject({
    message: 'k6 could not be started: /nowhere/k6',
    exitCode: 3,
  })
})

test.runIf(k6)('three real instances, merged, count the same as the stub', async () => {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  const folder = temporaryFolder()
  const { seriesFiles, exitCode } = await loadStub({ binary: k6, instances: 3, folder, stub })
  expect(exitCode).toBe(0)
  const output = join(folder, 'series.ndjson')
  const inputs = seriesFiles.map((file) => ({ file, name: file }))
  const { complete } = await mergeSeries({ inputs, output, version: '2.2.0', startMs: 0, nowMs: 0 })
  expect(complete).toBe(true)
  const { series } = await readSeries(output)
  const measured = [...series.routes.values()].map(({ name, latency }) => [name, latency.count])
  expect(Object.fromEntries(measured)).toEqual(await countedBy(stub))
  expect(series.iterations).toBe(180)
})

async function runFake(instances: number, source: string, options: Partial<RunInstancesOptions> = {}) {
  const folder = temporaryFolder()
  const binary = join(folder, 'k6')
  writeFileSync(join(folder, 'k6.mjs'), source)
  writeFileSync(binary, `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'k6.mjs')}' "$@"\n`, {
    mode: 0o755,
  })
  const run = await runInstances({
    binary,
    env: process.env,
    cwd: folder,
    deadlineMs: 60_000,
    graceMs: 10_000,
    instances,
    script: 'script.ts',
    folder,
    findingsFile: join(folder, 'findings.ndjson'),
    ...options,
  })
  return { folder, run }
}
