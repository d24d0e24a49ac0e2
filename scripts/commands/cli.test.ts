import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { RULES } from '../../contract/rules.ts'
import { MUTANTS } from '../../simulator/mutants/mutants.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const BAD_LINES: readonly { argv: string; says: RegExp }[] = [
  {
    argv: '',
    says: /^breakwater: expected a command\n {2}`breakwater --help` lists all commands\.\n$/,
  },
  { argv: 'smok', says: /^breakwater: unknown command "smok"\n {2}Did you mean smoke, / },
  {
    argv: 'runs archive --keep 3',
    says: /^breakwater: runs list: unknown option --keep\n {2}--keep is an option of `breakwater runs prune`\.\n$/,
  },
  {
    argv: 'smoke https://me:secret@staging.example',
    says: /unexpected argument "https:\/\/staging\.example"\n/,
  },
  { argv: 'https://me:secret@staging.example', says: /unknown command "https:\/\/staging\.example"\n/ },
  { argv: 'smoke --passphrase=secret', says: /unknown option --passphrase\n/ },
  {
    argv: 'smoke --strict=yes',
    says: /^breakwater: --strict takes no value\n {2}`breakwater smoke --help` lists all options\.\n$/,
  },
  { argv: 'smoke --quiet=', says: /^breakwater: --quiet takes no value\n/ },
  { argv: 'load --rat 3', says: /^breakwater: load: unknown option --rat\n {2}Did you mean --rate, / },
  {
    argv: 'smoke --sed 7',
    says: /^breakwater: smoke: unknown option --sed\n {2}Did you mean --seed, .*\? `breakwater smoke --help` lists all options\./,
  },
  {
    argv: 'help smok',
    says: /^breakwater: unknown command "smok"\n {2}Did you mean smoke, .*\? `breakwater --help` lists all commands\.\n$/,
  },
  {
    argv: 'faults',
    says: /^breakwater: faults: expected a command\n {2}`breakwater faults --help` lists all commands\.\n$/,
  },
  {
    argv: 'k8s foo',
    says: /^breakwater: k8s: unknown command "foo"\n {2}Expected run, collect, render or stub\. /,
  },
  {
    argv: 'faults lst',
    says: /^breakwater: faults: unknown command "lst"\n {2}Expected apply, list, export or clear\. /,
  },
  {
    argv: 'repro run x --world calm',
    says: /^breakwater: repro run: unknown option --world\n.*`breakwater repro run --help`/,
  },
  {
    argv: 'smoke extra',
    says: /^breakwater: smoke: unexpected argument "extra"\n {2}Usage: breakwater smoke \[options\]\n$/,
  },
  {
    argv: 'smoke --seed seven',
    says: /^breakwater: --seed: invalid value "seven"\n {2}Expected a whole number from 0 to 4294967295\. `breakwater smoke --help` /,
  },
  { argv: 'chain --seed 4294967296', says: /Expected a whole number from 0 to 4294967295\./ },
  {
    argv: 'chain --check 0',
    says: /--check: invalid value "0"\n {2}Expected a whole number from 1 to 999999999\./,
  },
  {
    argv: 'chain --check 5 --from-dump w.dump',
    says: /--check cannot be used with --from-dump\n {2}Omit one of them\./,
  },
  { argv: 'smoke --seed -1', says: /--seed: invalid value "-1"/ },
  { argv: 'smoke --world atlantis', says: /atlantis.*\n.*tiny/ },
  {
    argv: 'smoke --choices even',
    says: /--choices: invalid value "even"\n {2}Expected default, alternative or replicated\. /,
  },
  {
    argv: 'smoke --mutant ws-34-rooms',
    says: /^breakwater: unknown mutant "ws-34-rooms"\n {2}Did you mean ws-31-rooms, ws-33-rooms or .*--list-mutants/,
  },
  { argv: 'smoke --mutant ws-31-rooms+ws-34-rooms', says: /^breakwater: unknown mutant "ws-34-rooms"\n/ },
  {
    argv: 'smoke --mutant ws-sync-mute+ws-31-rooms+ws-renewal-ignored',
    says: /^breakwater: two of the mutants change the same part of the stub \(socket\)\n {2}Start a stub for each/,
  },
  ...['--choices alternative', '--choices default', '--world calm'].map((option) => ({
    argv: `smoke --target p.json ${option}`,
    says: /^breakwater: --target cannot be used with --(choices|world)\n/,
  })),
  {
    argv: 'smoke --confirm here',
    says: /^breakwater: --confirm requires --target/,
  },
  {
    argv: 'smoke --waivers nowhere.json',
    says: /^breakwater: nowhere\.json: cannot be read: .*\n.*waivers there/,
  },
  {
    argv: 'smoke --mix market --max-duration 10s',
    says: /^breakwater: --max-duration 10s: the mix market takes 600 s\n.*--no-load/,
  },
  { argv: 'smoke --max-requests 9', says: /Expected a whole number from 10 to/ },
  {
    argv: 'smoke --max-duration 300',
    says: /^breakwater: --max-duration: invalid value "300"\n {2}Add a unit\. Expected a duration from 10s to 24h in whole seconds, such as 5m\./,
  },
  { argv: 'smoke --rules wss.*', says: /^breakwater: --rules: no rule matches "wss\.\*"\n.*--list-rules/ },
  {
    argv: 'smoke --slo nowhere.json',
    says: /^breakwater: nowhere\.json: cannot be read: there is no such file or folder\n {2}Expected a file of objectives there\./,
  },
  {
    argv: 'smoke --target nowhere.json',
    says: /^breakwater: nowhere\.json: cannot be read: there is no such file/,
  },
  {
    argv: 'stub --port 70000',
    says: /--port: invalid value "70000"\n {2}Expected a port from 0 \(any\) to 65535\./,
  },
  {
    argv: 'stub --port 9000 --feed-port 9000',
    says: /^breakwater: --port and --feed-port are both 9000\n {2}Each .* needs its own port/,
  },
  { argv: 'stub --replicas 17', says: /Expected a whole number from 0 to 16\./ },
  { argv: 'stub --gateways 0', says: /Expected a whole number from 1 to 16\./ },
  {
    argv: 'stub --replica-lag 800',
    says: /Add a unit\. Expected a duration from 1ms to 30s, such as 800ms\./,
  },
  { argv: 'stub --replica-lag 31s', says: /Expected a duration from 1ms to 30s/ },
  {
    argv: 'stub --replica-lag 1s',
    says: /^breakwater: --replica-lag: no replicas to lag\n {2}Add --replicas, or use --choices replicated\./,
  },
  ...['0s', '-60s', 'abc', '4999ms', '61m'].map((period) => ({
    argv: `stub --rolling-restart ${period}`,
    says: /^breakwater: --rolling-restart: invalid value "[^"]+"\n {2}Expected a duration from 5s to 1h, such as 60s\. /,
  })),
  { argv: 'stub --port 8082', says: /^breakwater: --port and --control-port are both 8082\n/ },
  { argv: 'smoke --mix rush', says: /^breakwater: unknown mix "rush"\n {2}Did you mean / },
  { argv: 'smoke --mix nowhere.json', says: /^breakwater: nowhere\.json: cannot be read: .*\n.*a mix there/ },
  {
    argv: 'smoke --mix bots --no-load',
    says: /^breakwater: --mix needs the load that --no-load disables/,
  },
  {
    argv: 'smoke --slo s.json --no-load',
    says: /^breakwater: --slo needs the load that --no-load disables/,
  },
  ...[
    'smoke --output=',
    'smoke --target=',
    'smoke --slo=',
    'smoke --mix=',
    'smoke --mutant=',
    'smoke --world=',
  ].map((argv) => ({
    argv,
    says: /^breakwater: --\w+: invalid value ""\n {2}Expected a non-empty text\./,
  })),
  { argv: 'stub --profile=', says: /Expected a non-empty text\./ },
  { argv: 'report x --format=', says: /Expected a non-empty text\./ },
  { argv: 'chain --blocks many', says: /--blocks: invalid value "many"/ },
  ...['report', 'runs', 'compare here', 'merge here', 'repro --save --run', 'smoke --baseline'].map(
    (command) => ({
      argv: `${command} nowhere`,
      says: /^breakwater: (nowhere|here): the folder does not exist\n {2}`breakwater runs` lists the runs in runs\/\.\n$/,
    }),
  ),
  { argv: 'report', says: /^breakwater: report: missing argument: run\n {2}Usage: breakwater report / },
  { argv: 'load', says: /^breakwater: load: --rate is required\n {2}Expected --rate <rate>\. / },
  { argv: 'smoke --seed', says: /^breakwater: --seed: missing value\n {2}Expected --seed <number>\. / },
]

test.each(BAD_LINES)(
  'rejects `breakwater $argv` with one message and exit code 2',
  async ({ argv, says }) => {
    const { exitCode, stdout, stderr, cwd } = await runCommandLine(argv === '' ? [] : argv.split(' '))
    expect(stderr).toMatch(says)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).not.toContain('    at ')
    expect(readdirSync(cwd)).toEqual([])
  },
)

test('names the port that is taken, and the option for another', async () => {
  const server = createServer()
  const port = await new Promise<number>((listening) => {
    server.listen(0, '127.0.0.1', () => listening((server.address() as { port: number }).port))
  })
  const argv = ['stub', '--port', String(port), '--feed-port', '0', '--control-port', '0']
  const { exitCode, stderr } = await runCommandLine(argv)
  server.close()
  expect(stderr).toBe(
    `breakwater: --port ${port}: the port is in use\n  Use another port with --port, or 0 for any free one.\n`,
  )
  expect(exitCode).toBe(3)
})

test.each([
  { argv: 'smoke', says: 'interrupted before any run started' },
  { argv: 'stub --port 0 --feed-port 0 --control-port 0', says: 'interrupted before any run started' },
  { argv: 'chain --world tiny', says: 'interrupted after 0 of 1000 blocks' },
  { argv: 'report run', says: 'interrupted before the report was written' },
])('`breakwater $argv`, interrupted at once, reports it and leaves nothing', async ({ argv, says }) => {
  const result = await runCommandLine(argv.split(' '), { interrupted: AbortSignal.abort() })
  expect(result).toMatchObject({ exitCode: 130, stdout: '', stderr: `breakwater: ${says}\n` })
  expect(readdirSync(result.cwd)).toEqual([])
})

test('`breakwater stub` serves until it is interrupted, and exits with 130', async () => {
  const abort = new AbortController()
  const running = runCommandLine(['stub', '--port=0', '--feed-port=0', '--control-port=0'], {
    interrupted: abort.signal,
    onStdout: (line) => line === 'Press Ctrl-C to stop.' && abort.abort(),
  })
  expect(await running).toMatchObject({ exitCode: 130, stderr: '' })
})

test('a command that is interrupted at the very end exits with 130', async () => {
  const abort = new AbortController()
  const onStdout = () => abort.abort()
  const options = { interrupted: abort.signal, onStdout }
  expect(await runCommandLine(['chain', '--world=tiny', '--blocks=1'], options)).toMatchObject({
    exitCode: 130,
  })
})

test('without k6, Go and pip, lists the fixes', async () => {
  const empty = temporaryFolder()
  const { exitCode, stderr } = await runCommandLine(['smoke'], { env: { PATH: empty, HOME: empty } })
  expect(stderr).toMatch(/Go/)
  expect(stderr).toMatch(/BREAKWATER_K6/)
  expect(exitCode).toBe(3)
})

test.each([
  { option: '--list-rules', names: RULES.map(({ id }) => id) },
  { option: '--list-mutants', names: MUTANTS.map(({ name }) => name) },
])('$option prints a name first on each line', async ({ option, names }) => {
  const { exitCode, stdout } = await runCommandLine(['smoke', option])
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s/)[0]),
  ).toEqual(names)
  expect(exitCode).toBe(0)
})

test.each(['--help', 'smoke --help', '--version', 'help', 'help smoke'])(
  '`breakwater %s` prints to stdout',
  async (line) => {
    const { exitCode, stdout, stderr } = await runCommandLine(line.split(' '))
    expect(stdout).not.toBe('')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  },
)
