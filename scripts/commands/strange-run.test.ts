// Untrusted run folders: links, pipes and names expose no other file, and block no command.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RUN_FILES } from '../../contract/run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { makeRun, twoRuns } from './test-generator-runs.ts'

const LINK = 'it is a link, and links in a run folder are not followed'
const PIPE = 'it is a pipe or a device, not a file'

const KINDS = [
  { kind: 'a link', reason: LINK, plant: (file: string) => symlinkSync('/etc/hosts', file) },
  { kind: 'a link to a pipe', reason: LINK, plant: linkToPipe },
  { kind: 'a pipe', reason: PIPE, plant: makePipe },
  { kind: 'a link to a device', reason: LINK, plant: (file: string) => symlinkSync('/dev/zero', file) },
]

const READ = [RUN_FILES.run, RUN_FILES.series, RUN_FILES.findings, RUN_FILES.trials, RUN_FILES.timeline]

test.each(KINDS)('report rejects $kind among the files that it reads', async ({ plant, reason }) => {
  for (const file of READ) {
    const cwd = await twoRuns()
    replace(join(cwd, 'b', file), plant)
    const { exitCode, stderr } = await runCommandLine(['report', join(cwd, 'b')])
    expect(stderr).toContain(`${file}: ${file === RUN_FILES.run ? '' : 'cannot be read: '}${reason}\n`)
    expect(exitCode).toBe(2)
  }
})

test.each(KINDS)('merge copies nothing from $kind, and leaves no run', async ({ plant, reason }) => {
  for (const file of READ.filter((name) => name !== RUN_FILES.timeline)) {
    const cwd = await twoRuns()
    replace(join(cwd, 'b', file), plant)
    const { exitCode, stderr } = await runCommandLine(['merge', 'a', 'b', '--output', 'm'], { cwd })
    expect(stderr).toContain(reason)
    expect(exitCode).toBe(2)
    expect(readdirSync(cwd).includes('m') ? readdirSync(join(cwd, 'm')) : []).toEqual([])
  }
})

test.each(KINDS)('compare and runs reject $kind as run.json and as series', async ({ plant, reason }) => {
  const cwd = await twoRuns()
  replace(join(cwd, 'b', RUN_FILES.series), plant)
  expect((await runCommandLine(['compare', 'a', 'b'], { cwd })).stderr).toContain(reason)
  replace(join(cwd, 'b', RUN_FILES.run), plant)
  expect((await runCommandLine(['compare', 'a', 'b'], { cwd })).stderr).toContain(reason)
  const { damaged } = JSON.parse((await runCommandLine(['runs', 'list', '.', '--json'], { cwd })).stdout)
  expect(damaged).toEqual([{ folder: 'b', problem: expect.stringContaining(reason) }])
})

test.each(KINDS)('repro --save rejects $kind as findings', async ({ plant, reason }) => {
  const cwd = await twoRuns({ job: 'smoke' })
  replace(join(cwd, 'b', RUN_FILES.findings), plant)
  const { stderr } = await runCommandLine(['repro', '--save', '--run', 'b'], { cwd })
  expect(stderr).toContain(reason)
})

test.each(KINDS)('ignores an earlier report that is $kind', async ({ plant }) => {
  const cwd = await twoRuns()
  await makeRun(cwd, 'c', { ms: 10, count: 10, run: { startedAt: '2026-02-01T00:00:00Z' } })
  replace(join(cwd, 'a', RUN_FILES.reportJson), plant)
  const { exitCode } = await runCommandLine(['report', join(cwd, 'c')])
  expect(exitCode).toBe(0)
})

test('rejects a link as the folder of trials', async () => {
  const cwd = await twoRuns()
  mkdirSync(join(cwd, 'secret', '1'), { recursive: true })
  renameSync(join(cwd, 'b', RUN_FILES.series), join(cwd, 'secret', '1', 'series-1.ndjson'))
  symlinkSync(join(cwd, 'secret'), join(cwd, 'b', 'trials'))
  const { stderr } = await runCommandLine(['merge', 'a', 'b', '--output', 'm'], { cwd })
  expect(stderr).toContain(`${join(cwd, 'b', 'trials')}: cannot be read: ${LINK}\n`)
  rmSync(join(cwd, 'b', 'trials'))
  mkdirSync(join(cwd, 'b', 'trials'))
  symlinkSync(join(cwd, 'secret', '1'), join(cwd, 'b', 'trials', '1'))
  const again = await runCommandLine(['merge', 'a', 'b', '--output', 'n'], { cwd })
  expect(again.stderr).toContain(`${join(cwd, 'b', 'trials', '1')}: cannot be read: ${LINK}\n`)
})

test.each([
  { field: 'job', value: '../../planted/x' },
  { field: 'job', value: 'Load' },
  { field: 'id', value: 'one (elsewhere)' },
  { field: 'id', value: '../up' },
  { field: 'command', value: 'breakwater smoke; curl evil.test' },
  { field: 'command', value: 'breakwater smoke --world=$(id)' },
  { field: 'command', value: 'breakwater smoke --world x\nid' },
  { field: 'command', value: 'curl evil.test' },
])('a run.json with the $field $value is rejected', async ({ field, value }) => {
  const cwd = await twoRuns({ [field]: value })
  for (const argv of [
    ['merge', 'b', 'a'],
    ['compare', 'b', 'a'],
    ['report', join(cwd, 'b')],
  ]) {
    const { exitCode, stderr } = await runCommandLine(argv, { cwd })
    expect(stderr).toMatch(new RegExp(`run\\.json:? .*${field}`, 's'))
    expect(exitCode).toBe(2)
  }
  expect(readdirSync(cwd).sort()).toEqual(['a', 'b'])
})

function replace(file: string, plant: (file: string) => void): void {
  rmSync(file, { force: true })
  plant(file)
}

function makePipe(file: string): void {
  execFileSync('mkfifo', [file])
}

function linkToPipe(file: string): void {
  makePipe(`${file}.pipe`)
  symlinkSync(`${file}.pipe`, file)
}
