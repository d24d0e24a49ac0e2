import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RULES } from '../contract/rules.ts'
import { MUTANTS } from '../simulator/mutants.ts'
import { runCommandLine } from './test/run-command-line.ts'

const BAD_LINES: readonly { argv: string; says: RegExp }[] = [
  {
    argv: '',
    says: /^breakwater: name a command: smoke, up, chain or report\n {2}Try `breakwater --help`\.\n$/,
  },
  { argv: 'smok', says: /^breakwater: unknown command 'smok'\n\(Did you mean smoke\?\)/ },
  { argv: 'smoke --sed 7', says: /^breakwater: unknown option '--sed'\n\(Did you mean --seed\?\)/ },
  { argv: 'smoke extra', says: /^breakwater: too many arguments for 'smoke'/ },
  {
    argv: 'smoke --seed seven',
    says: /--seed <number>' argument 'seven' is invalid\. Expected a whole number, such as 7\./,
  },
  { argv: 'smoke --seed -1', says: /argument '-1' is invalid|argument missing/ },
  { argv: 'smoke --world atlantis', says: /atlantis.*\n.*tiny/ },
  { argv: 'smoke --choices even', says: /argument 'even' is invalid\. Allowed choices are standard\./ },
  {
    argv: 'smoke --mutant ws-34-rooms',
    says: /^breakwater: unknown mutant: ws-34-rooms\n {2}The mutants are: ws-33-rooms, /,
  },
  { argv: 'smoke --rules wss.*', says: /^breakwater: --rules "wss\.\*" selects no rule\n.*--list-rules/ },
  {
    argv: 'smoke --slo nowhere.json',
    says: /^breakwater: nowhere\.json: cannot be read: ENOENT\n {2}Expected a file of objectives there\./,
  },
  { argv: 'smoke --target nowhere.json', says: /^breakwater: nowhere\.json: cannot be read: ENOENT/ },
  {
    argv: 'up --port 70000',
    says: /argument '70000' is invalid\. Expected a port from 0 \(any\) to 65535\./,
  },
  { argv: 'chain --blocks many', says: /argument 'many' is invalid/ },
  { argv: 'report nowhere', says: /nowhere/ },
  { argv: 'report', says: /missing required argument 'run'/ },
]

test.each(BAD_LINES)(
  'refuses `breakwater $argv` with one message and exit code 2',
  async ({ argv, says }) => {
    const { exitCode, stdout, stderr, cwd } = await runCommandLine(argv === '' ? [] : argv.split(' '))
    expect(stderr).toMatch(says)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).not.toContain('    at ')
    expect(readdirSync(cwd)).toEqual([])
  },
)

const PROFILE = { name: 'test', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }

test.each([
  { what: 'no JSON', text: '{"name": ', exitCode: 2, says: /^breakwater: profile\.json: not JSON: / },
  {
    what: 'wrong values',
    text: JSON.stringify({ ...PROFILE, baseUrl: 'nowhere', choices: { cookie: {} } }),
    exitCode: 2,
    says: /not a valid target profile:\n {2}baseUrl: expected an http:\/\/ or https:\/\/ address\n {2}choices\.cookie: unknown key/,
  },
  {
    what: 'a target elsewhere that allows nothing',
    text: JSON.stringify({ ...PROFILE, baseUrl: 'https://exchange.example', allow: { load: true } }),
    exitCode: 2,
    says: /https:\/\/exchange\.example is not on this machine, and the profile does not allow a run/,
  },
  {
    what: 'wallets that are not there',
    text: JSON.stringify({ ...PROFILE, credentials: { wallets: 'wallets.json' } }),
    exitCode: 2,
    says: /profile\.json: credentials\.wallets: wallets\.json: cannot be read: ENOENT/,
  },
  {
    what: 'a target that is not running',
    text: JSON.stringify(PROFILE),
    exitCode: 3,
    says: /the target does not answer: GET http:\/\/127\.0\.0\.1:1\/health: .*\n {2}Is it running/,
  },
])('refuses a profile with $what, and starts nothing', async ({ text, exitCode, says }) => {
  const cwd = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
  writeFileSync(join(cwd, 'profile.json'), text)
  const result = await runCommandLine(['smoke', '--target', 'profile.json'], { cwd })
  expect(result.stderr).toMatch(says)
  expect(result.exitCode).toBe(exitCode)
  expect(readdirSync(cwd)).toEqual(['profile.json'])
})

test('refuses a mutant of a target that is not the stub', async () => {
  const { exitCode, stderr } = await runCommandLine([
    'smoke',
    '--target',
    'p.json',
    '--mutant',
    'ws-33-rooms',
  ])
  expect(stderr).toContain('--mutant breaks the stub, and --target names another exchange')
  expect(exitCode).toBe(2)
})

test('refuses a run folder that holds something, and leaves it as it is', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
  writeFileSync(join(cwd, 'precious.txt'), 'x')
  const { exitCode, stderr } = await runCommandLine(
    ['smoke', '--no-load', '--rules', 'wire.*', '--out', '.'],
    { cwd },
  )
  expect(stderr).toContain('holds files already, and a run overwrites nothing')
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual(['precious.txt'])
})

test('says which port is taken, and by which option to name another', async () => {
  const server = createServer()
  const port = await new Promise<number>((listening) => {
    server.listen(0, '127.0.0.1', () => listening((server.address() as { port: number }).port))
  })
  const argv = ['up', '--port', String(port), '--feed-port', '0', '--control-port', '0']
  const { exitCode, stderr } = await runCommandLine(argv)
  server.close()
  expect(stderr).toBe(
    `breakwater: --port ${port}: the port is taken\n  Name another port with --port, or 0 for any that is free.\n`,
  )
  expect(exitCode).toBe(3)
})

test('without k6, Go and pip, lists what would help', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
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

test.each(['--help', 'smoke --help', '--version'])('`breakwater %s` answers on stdout', async (line) => {
  const { exitCode, stdout, stderr } = await runCommandLine(line.split(' '))
  expect(stdout).not.toBe('')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})
