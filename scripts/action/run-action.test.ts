import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Report } from '../../contract/report.ts'
import { SAMPLE_COMPARISON } from '../../reports/compare/sample-comparison.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { runAction } from './run-action.ts'

let env: NodeJS.ProcessEnv
let log: string[]

beforeEach(() => {
  const folder = temporaryFolder()
  log = []
  env = {
    RUNNER_TEMP: folder,
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    BREAKWATER_INPUT_COMMAND: 'smoke',
  }
})

/** Runs the action with a Breakwater that writes the files into its run folder. */
async function act(files: Record<string, unknown>, ended: { exitCode: number; errorLines?: string[] }) {
  let argv: readonly string[] = []
  const exitCode = await runAction({
    env,
    log: (line) => log.push(line),
    run: async (given) => {
      argv = given
      const out = folderIn(given)
      if (Object.keys(files).length > 0) mkdirSync(out)
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(out, name), typeof content === 'string' ? content : JSON.stringify(content))
      }
      log.push('::add-mask::the target says so')
      return { errorLines: [], ...ended }
    },
  })
  return { exitCode, argv, out: folderIn(argv) }
}

const folderIn = (argv: readonly string[]) =>
  argv.find((word) => word.startsWith('--output='))?.slice('--output='.length) ?? ''
const written = (name: string) => readFileSync(env[name] ?? '', 'utf8')
/** As a runner reads them. */
const outputs = () =>
  Object.fromEntries(
    [...written('GITHUB_OUTPUT').matchAll(/^(.*)<<(.*)\n([\s\S]*?)\n\2\n/gm)].map((match) => [
      match[1],
      match[3],
    ]),
  )

test('a run that failed: its exit code, outputs, summary and annotations', async () => {
  const report: Report = sampleReport()
  const { exitCode, out } = await act({ 'report.json': report, 'summary.md': '# It failed' }, { exitCode: 1 })
  expect(exitCode).toBe(1)
  expect(outputs()).toEqual({
    'exit-code': '1',
    verdict: 'fail',
    report: join(out, 'report.html'),
    'run-folder': out,
  })
  expect(written('GITHUB_STEP_SUMMARY')).toBe('# It failed\n')
  expect(log.filter((line) => line.startsWith('::error'))).toHaveLength(1)
})

test('no line of the command is taken for one to the runner', async () => {
  await act({}, { exitCode: 0 })
  const token = log[0]?.replace('::stop-commands::', '')
  expect(log).toEqual([`::stop-commands::${token}`, '::add-mask::the target says so', `::${token}::`])
  const [before] = log
  log = []
  await act({}, { exitCode: 0 })
  expect(log[0]).not.toBe(before)
})

test('hostile names stay inside of their annotation', async () => {
  const report = sampleReport()
  const rules = report.rules.map((rule) => ({
    ...rule,
    id: 'x,file=a::\n::add-mask::b',
    observed: '\r\n::error::c\u0000',
  }))
  await act({ 'report.json': { ...report, rules } }, { exitCode: 1 })
  const annotations = log.slice(3)
  expect(annotations.map((line) => line.split(' ')[0])).toEqual(['::error', '::warning'])
  expect(annotations[0]).toContain('title=x%2Cfile=a%3A%3A%0A%3A%3Aadd-mask%3A%3Ab%3A failed::expected')
  expect(annotations[0]).toContain('observed: %0D%0A::error::c\\u0000')
})

test('a comparison, alone or with a run', async () => {
  const comparison = { 'comparison.json': SAMPLE_COMPARISON, 'comparison.md': 'worse' }
  env.BREAKWATER_INPUT_COMMAND = 'compare'
  env.BREAKWATER_INPUT_ARGUMENTS = 'a\nb'
  const { out, argv } = await act(comparison, { exitCode: 1 })
  expect(argv).toEqual(['compare', `--output=${out}`, 'a', 'b'])
  expect(outputs()).toMatchObject({ verdict: 'worse', report: join(out, 'comparison.html') })
  await act({ 'report.json': sampleReport(), 'summary.md': 'fail', ...comparison }, { exitCode: 1 })
  expect(outputs()).toMatchObject({ verdict: 'fail' })
  expect(written('GITHUB_STEP_SUMMARY')).toBe('worse\nfail\nworse\n')
})

test('without a report, the last lines say why; the files of the run are kept', async () => {
  await act({}, { exitCode: 2, errorLines: ['breakwater: staging.json: not there', '  100 % sure'] })
  expect(log.at(-1)).toBe(
    '::error title=Breakwater exited with 2%2C without a report::breakwater: staging.json: not there%0A  100 %25 sure',
  )
  expect(outputs()).toEqual({ 'exit-code': '2', verdict: '', report: '', 'run-folder': '' })
  const { out } = await act({ 'run.json': '{}' }, { exitCode: 3 })
  expect(outputs()).toMatchObject({ 'run-folder': out, verdict: '' })
  expect(log.at(-1)).toBe('::error title=Breakwater exited with 3%2C without a report::The log says why.')
})

test('a summary that GitHub would not show is cut at a line', async () => {
  const summary = '# Ä\n'.repeat(300_000)
  await act({ 'report.json': sampleReport(), 'summary.md': summary }, { exitCode: 0 })
  const text = written('GITHUB_STEP_SUMMARY')
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_100)
  expect(text).toMatch(/# Ä\n\nThe rest is in the report, which is kept with the run\.\n$/)
})

test.each([
  ['0', []],
  ['', ['::error']],
])('%j annotations are requested', async (annotations, kinds) => {
  env.BREAKWATER_INPUT_ANNOTATIONS = annotations
  const [, failed] = sampleReport().rules
  await act({ 'report.json': { ...sampleReport(), rules: [failed] } }, { exitCode: 1 })
  expect(log.slice(3).map((line) => line.split(' ')[0])).toEqual(annotations === '0' ? ['::notice'] : kinds)
})

test('malformed inputs are reported, and nothing runs', async () => {
  env.BREAKWATER_INPUT_ANNOTATIONS = '51'
  await expect(act({}, { exitCode: 0 })).rejects.toThrow('annotations: expected a whole number from 0 to 50')
  env.BREAKWATER_INPUT_ANNOTATIONS = ''
  env.BREAKWATER_INPUT_COMMAND = 'stub'
  await expect(act({}, { exitCode: 0 })).rejects.toThrow('command: unknown command "stub"')
  expect(log).toEqual([])
})
