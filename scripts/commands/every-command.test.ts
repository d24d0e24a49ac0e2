// Runs every command with --json, --quiet and --verbose.
import { describe, expect, test } from 'vitest'
import { makeSteadyRun } from '../../reports/synthetic-run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { commandTree, withInner } from './command-tree.ts'

type Line = {
  /** Arguments with which the command ends quickly, in a folder with the runs `old` and `new`. */
  argv: string
  /** Default: 0. */
  exitCodes?: readonly number[]
  /** Output with --json; `none`: no such option; `error`: no output. */
  json?: 'one' | 'none' | 'error'
}

const LINES: readonly Line[] = [
  { argv: 'smoke --list-rules' },
  { argv: 'smoke --list-mutants' },
  { argv: 'run nowhere.k6.ts', exitCodes: [2], json: 'error' },
  { argv: 'repro --save', exitCodes: [2], json: 'error' },
  { argv: 'repro list' },
  { argv: 'repro show refresh-race-two-tabs' },
  { argv: 'repro run nowhere.json', exitCodes: [2], json: 'error' },
  { argv: 'explore --world nowhere', exitCodes: [2], json: 'error' },
  { argv: 'hunt --world nowhere', exitCodes: [2], json: 'error' },
  { argv: 'certify --world nowhere', exitCodes: [2], json: 'error' },
  { argv: 'capacity --slo nowhere.json', exitCodes: [2], json: 'error' },
  { argv: 'load --rate 1 --slo nowhere.json', exitCodes: [2], json: 'error' },
  { argv: 'faults apply nowhere.json', exitCodes: [2], json: 'error' },
  { argv: 'faults list --control http://127.0.0.1:1', exitCodes: [3], json: 'error' },
  { argv: 'faults export --control http://127.0.0.1:1', exitCodes: [3], json: 'error' },
  { argv: 'faults clear --control http://127.0.0.1:1', exitCodes: [3], json: 'error' },
  { argv: 'init scenario mine' },
  { argv: 'stub --port 0 --feed-port 0 --control-port 0', exitCodes: [130] },
  { argv: 'observe --list-rules' },
  { argv: 'chain --world tiny --blocks 1' },
  { argv: 'report CWD/old' },
  { argv: 'compare old new --allow-single-run', exitCodes: [1] },
  { argv: 'runs list .' },
  { argv: 'runs prune . --keep 1 --dry-run' },
  { argv: 'runs push old' },
  { argv: 'trend nowhere', exitCodes: [2], json: 'error' },
  { argv: 'merge old new' },
  { argv: 'k8s render --target nowhere.json --rate 1 --image i', exitCodes: [2], json: 'error' },
  { argv: 'k8s stub --image i' },
  { argv: 'k8s run --rate 1 --target nowhere.json --image x', exitCodes: [2], json: 'error' },
  { argv: 'k8s collect nowhere', exitCodes: [3], json: 'error' },
  { argv: 'k8s collector --dir kept --token-file nowhere', exitCodes: [2], json: 'error' },
  // The state of this machine does not matter here.
  { argv: 'doctor', exitCodes: [0, 3] },
  { argv: 'doctor --sign-in', exitCodes: [2], json: 'error' },
  { argv: 'completion bash', json: 'none' },
  { argv: 'help smoke', json: 'none' },
]

test.each(LINES.filter(({ json }) => json !== 'none'))(
  '`breakwater $argv --json` prints one JSON document, or nothing if it fails',
  async ({ argv, exitCodes = [0], json = 'one' }) => {
    const { stdout, ...result } = await run(`${argv} --json`)
    expect(exitCodes).toContain(result.exitCode)
    if (json === 'one') JSON.parse(stdout)
    else expect(stdout).toBe('')
  },
)

describe.each(LINES)('breakwater $argv', ({ argv, exitCodes = [0], json = 'one' }) => {
  test('--quiet, before or after the command, prints only results and errors', async () => {
    for (const line of [`${argv} --quiet`, `-q ${argv}`]) {
      const { stdout, stderr, ...result } = await run(line)
      expect(exitCodes).toContain(result.exitCode)
      if (json !== 'error') expect(stderr).toBe('')
      else expect(stderr).toMatch(/^breakwater: [^\n]+\n( {2}[^\n]+\n)*$/)
      expect(stdout === '').toBe(json === 'error')
    }
  })

  test('--verbose prints steps to standard error, and the same results', async () => {
    const { stdout, stderr, ...result } = await run(`--verbose ${argv}`)
    expect(exitCodes).toContain(result.exitCode)
    if (!argv.startsWith('help')) expect(stderr).toMatch(/^ {4}0\.0\d s {2}breakwater \d/)
    expect(stdout === '').toBe(json === 'error')
  })

  test('rejects --quiet with --verbose', async () => {
    for (const line of [`-q ${argv} --verbose`, `${argv} -v -q`]) {
      const { stderr, stdout, ...result } = await run(line)
      expect(stderr).toMatch(/^breakwater: --(quiet|verbose) cannot be used with --/)
      expect([result.exitCode, stdout]).toEqual([2, ''])
    }
  })
})

test('covers every command, and each with a result has --json', () => {
  const commands = withInner(commandTree()).filter(
    ({ path }) => path.length > 0 && !GROUPS.has(path.join(' ')),
  )
  const findLine = (path: readonly string[]) =>
    LINES.find(({ argv }) => `${argv} `.startsWith(`${path.join(' ')} `))
  expect(
    commands.filter(({ path }) => findLine(path) === undefined).map(({ path }) => path.join(' ')),
  ).toEqual([])
  const without = commands.filter(({ options }) => options.every(({ names }) => !names.includes('--json')))
  expect(without.map(({ path }) => findLine(path)?.json)).toEqual(without.map(() => 'none'))
})

/** Need a subcommand. */
const GROUPS: ReadonlySet<string> = new Set(['faults', 'k8s', 'runs'])

async function run(line: string) {
  const cwd = temporaryFolder()
  await makeSteadyRun(cwd, 'old', { number: 1 })
  await makeSteadyRun(cwd, 'new', { number: 2, poolsMs: 40 })
  const abort = new AbortController()
  return runCommandLine(line.replace('CWD', cwd).split(' '), {
    cwd,
    env: { ...process.env, BREAKWATER_CONTROL_TOKEN: 'x'.repeat(40) },
    interrupted: abort.signal,
    // The stub serves until it is interrupted.
    onStdout: () => line.includes('stub --port') && abort.abort(),
  })
}
