import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../contract/run.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { readSide } from './side.ts'

/** Addresses of this machine that do not look local; nothing listens there. */
const A = '[::ffff:7f00:1]'
const B = '[::ffff:7f00:2]'

test.each([
  {
    line: 'stub stub --confirm exchange.example',
    exitCode: 2,
    says: 'breakwater: --confirm does not apply: both sides are the stub\n',
  },
  {
    line: 'a.json b.json --confirm exchange.example',
    exitCode: 2,
    says: `breakwater: --confirm exchange.example: the target is ${A}, ${B}\n`,
  },
  {
    line: `stub b.json --confirm ${A}`,
    exitCode: 2,
    says: `breakwater: --confirm ${A}: the target is ${B}\n`,
  },
  {
    line: `a.json b.json --confirm ${B}`,
    exitCode: 2,
    says: `breakwater: load: ${A}: the command line does not confirm a load (--confirm ${A})\n`,
  },
  {
    line: `a.json b.json --confirm ${A} --confirm ${B}`,
    exitCode: 3,
    says: `breakwater: a.json: the target does not respond: GET http://${A}:1/`,
  },
])('compare --run $line', async ({ line, exitCode, says }) => {
  const cwd = temporaryFolder()
  for (const [file, host] of Object.entries({ 'a.json': A, 'b.json': B })) {
    const [baseUrl, wsUrl] = [`http://${host}:1`, `ws://${host}:1`]
    writeFileSync(join(cwd, file), JSON.stringify({ name: file, baseUrl, wsUrl, allow: { load: true } }))
  }
  const argv = ['compare', '--run', '--rate', '5', ...line.split(' ')]
  const result = await runCommandLine(argv, { cwd })
  expect(result.stderr).toContain(says)
  expect(result.exitCode).toBe(exitCode)
})

async function makeRun(cwd: string, name: string, run: Partial<Run> = {}) {
  const dir = join(cwd, name)
  const hour = String(name.length % 24).padStart(2, '0')
  const startedAt = `2026-01-01T${hour}:00:00.000Z`
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 1,
    samplesPerSecond: 1,
    series: [],
    run: { id: name.replaceAll('/', '.'), job: 'load', mix: 'reads', startedAt, ...run },
  })
  return dir
}

const read = (path: string, cwd: string) => readSide(path, { cwd, nowMs: Date.now() })

test('a run folder is a side of one run, even if it was interrupted or killed', async () => {
  const cwd = temporaryFolder()
  const dir = await makeRun(cwd, 'one', { state: 'interrupted' })
  expect(await read('one', cwd)).toMatchObject({ label: 'one', dirs: [dir], notes: [], run: { id: 'one' } })
})

test('a folder is a side of all its completed runs; the others are reported', async () => {
  const cwd = temporaryFolder()
  const dirs = [await makeRun(cwd, 'v1/1'), await makeRun(cwd, 'v1/two')]
  await makeRun(cwd, 'v1/broken-off', { state: 'interrupted' })
  await makeRun(cwd, 'v1/comparison', { job: 'compare' })
  mkdirSync(join(cwd, 'v1/damaged'))
  writeFileSync(join(cwd, 'v1/damaged/run.json'), '{')
  mkdirSync(join(cwd, 'v1/other'))
  const side = await read('v1', cwd)
  expect(side.dirs.sort()).toEqual(dirs.sort())
  expect(side.run.id).toBe('v1.two')
  expect(side.notes).toEqual([
    expect.stringMatching(/^v1\/damaged: left out: run\.json: cut short or damaged: not JSON: /),
    'v1/broken-off: left out: interrupted',
    'v1/comparison: left out: is a comparison',
  ])
})

const REFUSED: readonly { what: string; path: string; says: string; hint: string }[] = [
  {
    what: 'a missing folder',
    path: 'nowhere',
    says: 'nowhere: the folder does not exist',
    hint: '`breakwater runs` lists the runs in runs/.',
  },
  {
    what: 'an empty folder',
    path: 'empty',
    says: 'empty: no completed run found',
    hint: 'Expected a run folder, or a folder that holds runs of one kind.',
  },
  {
    what: 'a folder without a completed run',
    path: 'unfinished',
    says: 'unfinished: no completed run found: interrupted, comparison',
    hint: 'Expected a run folder, or a folder that holds runs of one kind.',
  },
  {
    what: 'a run in progress',
    path: 'running',
    says: 'running: is still running',
    hint: 'Wait for it to end, then compare it.',
  },
  {
    what: 'a comparison',
    path: 'unfinished/comparison',
    says: 'unfinished/comparison: is a comparison, not a run',
    hint: 'Its sides are unfinished/comparison/a and unfinished/comparison/b.',
  },
  {
    what: 'runs of several kinds',
    path: 'mixed',
    says: 'mixed: contains runs of several kinds: the mix of reads-run is reads, and that of bots bots',
    hint: 'Name a run folder, or a folder that holds repetitions of one run.',
  },
  {
    what: 'a damaged run.json',
    path: 'damaged',
    says: 'damaged: run.json: cut short or damaged: the file is empty',
    hint: 'Expected a run folder, or a folder that holds runs of one kind.',
  },
]

test.each(REFUSED)('refuses $what', async ({ path, says, hint }) => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'empty'))
  await makeRun(cwd, 'unfinished/interrupted', { state: 'interrupted' })
  await makeRun(cwd, 'unfinished/comparison', { job: 'compare' })
  await makeRun(cwd, 'running', { state: 'running' })
  await makeRun(cwd, 'mixed/bots', { mix: 'bots' })
  await makeRun(cwd, 'mixed/reads-run')
  mkdirSync(join(cwd, 'damaged'))
  writeFileSync(join(cwd, 'damaged/run.json'), '')
  await expect(read(path, cwd)).rejects.toMatchObject({ message: says, hint, exitCode: 2 })
})
