import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { Report } from '../../contract/report.ts'
import { SAMPLE_COMPARISON } from '../../reports/compare/sample-comparison.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import {
  type ActionInputs,
  type Annotation,
  actionArgv,
  annotationLine,
  runAction,
  unheeded,
} from './run-action.ts'

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

const argv = (inputs: Partial<ActionInputs>) =>
  actionArgv({ command: 'smoke', target: '', waivers: '', arguments: '', ...inputs }, 'runs/1')

test.each([
  ['a command', {}, ['smoke', '--output=runs/1']],
  [
    'target and waivers, which may look like options',
    { target: '--strict', waivers: 'a b.json' },
    ['smoke', '--target=--strict', '--waivers=a b.json', '--output=runs/1'],
  ],
  [
    'an argument a line, with blanks and quotes',
    { arguments: "--rules\n  ws.*  \r\n\n$(id) 'x' `y`;\n" },
    ['smoke', '--output=runs/1', '--rules', 'ws.*', "$(id) 'x' `y`;"],
  ],
  ['a load in a cluster', { command: 'k8s', target: 'x' }, ['k8s', 'run', '--target=x', '--output=runs/1']],
  ['a command of two words', { command: 'repro', arguments: 'x' }, ['repro', 'run', '--output=runs/1', 'x']],
] satisfies [string, Partial<ActionInputs>, string[]][])('%s', (_, inputs, expected) => {
  expect(argv(inputs)).toEqual(expected)
})

test.each([
  ['a command that gives no verdict', { command: 'stub' }, 'command: unknown command "stub"'],
  ['one that is everywhere', { command: 'toString' }, 'command: unknown command "toString"'],
  [
    'a target that the command takes none of',
    { command: 'compare', target: 'x' },
    'target: compare does not take this input',
  ],
  ['waivers likewise', { command: 'load', waivers: 'x' }, 'waivers: load does not take this input'],
  ['a run folder of its own', { arguments: '--output=x' }, 'arguments: --output=x is set by the action'],
  ['a short -o', { arguments: '-o' }, 'arguments: -o is set by the action'],
  ['JSON', { arguments: '--json' }, 'arguments: --json is set by the action'],
] satisfies [string, Partial<ActionInputs>, string][])('refuses %s', (_, inputs, message) => {
  expect(() => argv(inputs)).toThrow(message)
})

const annotation = (part: Partial<Annotation>): Annotation => ({
  kind: 'error',
  title: 'a',
  message: 'b',
  ...part,
})

test.each([
  ['a message may have colons and commas', { message: 'a: b, c::d' }, '::error title=a::a: b, c::d'],
  ['a title may not', { title: 'a: b, c::d' }, '::error title=a%3A b%2C c%3A%3Ad::b'],
  ['line ends stay in the line', { message: 'a\r\nb' }, '::error title=a::a%0D%0Ab'],
  ['what looks escaped is shown as it is', { message: '100%0A%25' }, '::error title=a::100%250A%2525'],
  ['terminals get nothing', { message: '\u001b[2J\u202e\0' }, '::error title=a::\\u001b[2J\\u202e\\u0000'],
  ['a title that is long is cut', { title: 'x'.repeat(300) }, `::error title=${'x'.repeat(200)}…::b`],
  ['so is a message', { message: 'x'.repeat(3000) }, `::error title=a::${'x'.repeat(2000)}…`],
  ['a warning', { kind: 'warning' }, '::warning title=a::b'],
] satisfies [string, Partial<Annotation>, string][])('%s', (_, part, line) => {
  expect(annotationLine(annotation(part))).toBe(line)
})

test('any text becomes one line that reads back as itself', () => {
  const text = fc.string({ unit: fc.constantFrom(...':,%\r\n#[]=ab0D5A ') })
  fc.assert(
    fc.property(text, text, (title, message) => {
      const line = annotationLine(annotation({ title, message }))
      const [, shownTitle = '', shown = ''] = /^::error title=([^:,\r\n]*)::([^\r\n]*)$/.exec(line) ?? []
      expect([unescaped(shownTitle), unescaped(shown)]).toEqual([title, message])
    }),
  )
})

test('commands stop until the token comes again', () => {
  expect(unheeded('t0k')).toEqual({ begin: '::stop-commands::t0k', end: '::t0k::' })
})

/** As a runner does. */
function unescaped(text: string): string {
  const signs = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%25': '%' } as const
  return text.replace(/%(0D|0A|3A|2C|25)/g, (sign) => signs[sign as keyof typeof signs]) // as: what the pattern finds
}
