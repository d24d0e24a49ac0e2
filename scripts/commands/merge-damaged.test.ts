import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { projectPath } from '../project.ts'
import { merge, pointsAt, readRunFile, twoRuns, writeSeries } from './test-generator-runs.ts'

test('notes the difference between the start times of generators', async () => {
  const cwd = await twoRuns({ startedAt: '2026-01-02T03:04:15Z' })
  await merge(cwd, 'a', 'b')
  expect(readRunFile(cwd, 'm').notes).toEqual([
    'The generators started up to 10 s apart, by the clocks of their machines: total counts and latencies are valid, but rates at the start and the end cover only some generators.',
  ])
})

test.each([
  { names: ['a'], message: 'merge: expected two or more runs, got one' },
  { names: ['a', 'a'], message: 'a: contains the run a-id, and so does a: it would count twice' },
  { names: ['a', 'copy'], message: 'copy: contains the run a-id, and so does a: it would count twice' },
  { names: ['a', 'none'], message: /^none: the folder does not exist$/ },
  { names: ['a', 'a/run.json'], message: /^a\/run.json: is a file, not a run folder$/ },
  {
    names: ['a', 'b', '--output', 'a'],
    message: 'a: the folder is not empty, and runs never overwrite files',
  },
])('refuses $names', async ({ names, message }) => {
  const cwd = await twoRuns()
  cpSync(join(cwd, 'a'), join(cwd, 'copy'), { recursive: true })
  const { exitCode, stderr } = await merge(cwd, ...names)
  expect(stderr.split('\n')[0]?.replace('breakwater: ', '')).toMatch(message)
  expect(exitCode).toBe(EXIT.usage)
})

test('merges a truncated series up to the damage, and notes it in every report', async () => {
  const cwd = await twoRuns()
  const file = join(cwd, 'b', RUN_FILES.series)
  truncateSync(file, readFileSync(file).length - 150)
  const { exitCode, stdout } = await merge(cwd, 'a', 'b', '--json')
  const notes = [
    'b/series.ndjson breaks off in the middle of line 13: that line was not read.',
    'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.',
  ]
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(report.notes).toEqual(expect.arrayContaining(notes))
  expect([report.generator.iterations, report.generator.complete]).toEqual([4 * 10 + 3 * 10, false])
  expect(exitCode).not.toBe(EXIT.ok)
  const again = await runCommandLine(['report', join(cwd, 'm'), '--json'])
  expect(JSON.parse(again.stdout).notes).toEqual(report.notes)
})

test('merges the measurements of a killed trial', async () => {
  const cwd = await twoRuns({ state: 'running', finishedAt: null })
  const trial = join(cwd, 'b', 'trials', '1')
  mkdirSync(trial, { recursive: true })
  renameSync(join(cwd, 'b', RUN_FILES.series), join(trial, 'series-1.ndjson'))
  cpSync(join(trial, 'series-1.ndjson'), join(trial, 'series-2.ndjson'))
  // A partly appended series must not count twice.
  const [header, ...lines] = readFileSync(join(trial, 'series-1.ndjson'), 'utf8').split('\n')
  writeFileSync(join(cwd, 'b', RUN_FILES.series), `${[header, ...lines.slice(0, 4)].join('\n')}\n`)
  const { stdout } = await merge(cwd, 'a', 'b', '--json')
  expect(JSON.parse(stdout).generator).toMatchObject({ iterations: 4 * 10 + 2 * 4 * 10, complete: false })
  // The same in its own report.
  const own = JSON.parse((await runCommandLine(['report', join(cwd, 'b'), '--json'])).stdout)
  expect(own.generator).toMatchObject({ iterations: 2 * 4 * 10, complete: false })
  expect(own.notes).toContain(
    'Trial 1 did not come to its end: what it measured was read from the folder trials.',
  )
})

test('reports a full disk, leaves the runs unchanged, and removes the partial result', async () => {
  const cwd = await twoRuns()
  for (const name of ['a', 'b']) {
    const points = Array.from({ length: 5000 }, (_, at) => pointsAt(at, { ms: 10, count: 1 })).flat()
    writeSeries(join(cwd, name, RUN_FILES.series), points)
  }
  const command = `ulimit -f 600; exec '${process.execPath}' '${projectPath('scripts/breakwater.mjs')}' merge a b --output m`
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
  expect(stderr).toBe(
    `breakwater: ${join(cwd, 'm', 'series.ndjson')}: cannot be written: it would be larger than the system allows\n  Free disk space. series.ndjson is unchanged, and the files to be added are kept.\n`,
  )
  expect(status).toBe(EXIT.environment)
  expect(readdirSync(join(cwd, 'm'))).toEqual([])
})
