import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { makeSteadyRun } from '../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { NO_TERMINAL } from '../io.ts'
import { openIo } from '../progress/open-io.ts'
import { printBaselineComparison } from './print-comparison.ts'

async function print(options: {
  baseline?: string
  allowSingleRun?: true
  exitCode?: ExitCode
  json?: boolean
  poolsMs?: number
}) {
  const cwd = temporaryFolder()
  await makeSteadyRun(cwd, 'runs/old', { number: 1, run: { startedAt: '2026-01-01T00:00:00.000Z' } })
  await makeSteadyRun(cwd, 'runs/bots', { number: 1, run: { mix: 'bots' } })
  const dir = await makeSteadyRun(cwd, 'new', { number: 2, poolsMs: options.poolsMs ?? 30 })
  mkdirSync(join(cwd, 'empty'))
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const io = openIo({
    argv: [],
    env: {},
    cwd,
    stdout: (line: string) => void stdout.push(line),
    stderr: (text: string) => void stderr.push(text),
    terminal: NO_TERMINAL,
    interrupted: new AbortController().signal,
  })
  const { exitCode = EXIT.ok, json = false, baseline, allowSingleRun } = options
  const code = await printBaselineComparison({
    baseline,
    allowSingleRun,
    exitCode,
    json,
    folder: { dir, shown: 'new' },
    io,
  })
  const isWritten = existsSync(join(dir, 'comparison.html'))
  return { code, stdout: stdout.join('\n'), stderr: stderr.join(''), isWritten }
}

test('without a baseline nothing is compared', async () => {
  expect(await print({})).toEqual({ code: 0, stdout: '', stderr: '', isWritten: false })
})

test('a regression fails a passed run', async () => {
  const { code, stdout, isWritten } = await print({ baseline: 'runs', allowSingleRun: true })
  expect(code).toBe(EXIT.failed)
  expect(stdout).toContain('A  runs/old: 1 run of 10 s')
  expect(stdout).toMatch(/\nworse: .*\n\nComparison: new\/comparison\.html$/)
  expect(isWritten).toBe(true)
})

test('no regression, or an unjudged one, keeps the exit code of the run', async () => {
  expect(await print({ baseline: 'runs', allowSingleRun: true, poolsMs: 20 })).toMatchObject({
    code: EXIT.ok,
  })
  const single = await print({ baseline: 'runs' })
  expect(single.code).toBe(EXIT.ok)
  expect(single.stdout).toContain('With --allow-single-run, one run per side is compared')
  expect(await print({ baseline: 'runs', allowSingleRun: true, exitCode: EXIT.inconclusive })).toMatchObject({
    code: EXIT.inconclusive,
  })
})

test('an interrupted run is not compared', async () => {
  expect(await print({ baseline: 'runs', allowSingleRun: true, exitCode: EXIT.interrupted })).toEqual({
    code: EXIT.interrupted,
    stdout: '',
    stderr: '',
    isWritten: false,
  })
})

test('with --json only the report goes to stdout', async () => {
  const { stdout, stderr } = await print({ baseline: 'runs', allowSingleRun: true, json: true })
  expect(stdout).toBe('')
  expect(stderr).toContain('\nComparison: new/comparison.html\n')
})

test('a folder without a matching run is reported and decides nothing', async () => {
  expect(await print({ baseline: 'empty', allowSingleRun: true })).toEqual({
    code: EXIT.ok,
    stdout: '',
    stderr: 'no baseline: empty: no run to compare with: the folder has no runs\n',
    isWritten: false,
  })
})

test('rejects a named run of another mix', async () => {
  await expect(print({ baseline: 'runs/bots' })).rejects.toMatchObject({
    message: 'runs/bots: cannot be the baseline: its mix is bots, but the run has reads',
    exitCode: EXIT.usage,
  })
})
