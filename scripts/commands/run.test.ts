// Real runs of user scripts.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { findK6 } from '../k6/find-k6.ts'
import { projectPath } from '../project.ts'

const RUN_MS_MAX = 60_000

test('the script of `init scenario` runs unchanged, and all its rules pass', {
  timeout: RUN_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const init = await runCommandLine(['init', 'scenario', 'mine'], { cwd })
  expect(init).toMatchObject({ exitCode: 0, stderr: '' })
  expect(init.stdout).toContain('  npx breakwater run mine.k6.ts\n')
  const { exitCode, stdout, stderr } = await runCommandLine(['run', 'mine.k6.ts', '--output', 'run'], { cwd })
  expect(stderr).toMatch(/^running mine.k6.ts: 1 rule, at most 6 VUs, at most 245 s\n/)
  expect(stdout).toContain('pass: 1 of 1 rules judged and passed; 1 of 1 objectives passed\n')
  expect(exitCode).toBe(0)
  const { rules, latency } = readReport(cwd)
  expect(rules).toMatchObject([{ id: 'own.pools.listed-reads', verdict: 'pass', observed: '10 pools read' }])
  expect(latency.groups.map(({ routeGroup }) => routeGroup)).toEqual(['*', 'explore', 'pools'])
})

test('custom rules can fail and be inconclusive; --target selects the exchange', {
  timeout: RUN_MS_MAX,
}, async () => {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real' })
  const cwd = scriptFolder(`
    import { judge, once, request, scenarioOptions, target, wallets } from './breakwater/scenarios/kit.ts'
    export const options = scenarioOptions({
      rules: { 'own.a.fails': 'a thing', 'own.b.open': 'another', 'own.c.throws': 'a third', 'own.d.unseen': 'a fourth' },
      scenarios: { ...once('main') },
    })
    export async function main() {
      await judge(['own.a.fails', 'own.b.open'], async (verdict) => {
        const reply = await request(target, { method: 'GET', path: '/tokens' })
        verdict.fail('own.a.fails', \`\${wallets.length} wallets\`, [reply.evidence()])
      })
      await judge(['own.c.throws'], () => { throw new Error('boo') })
      await judge(['own.e.undeclared'], () => {})
    }`)
  writeFileSync(join(cwd, 'profile.json'), JSON.stringify({ ...stub.profile, control: null }))
  const argv = ['run', 's.k6.ts', '--target', 'profile.json', '--output', 'run']
  const { exitCode, stderr } = await runCommandLine(argv, { cwd }).finally(stub.close)
  expect(stderr).toContain('breakwater: created a link to this installation')
  expect(stderr).toContain('rules not declared in scenarioOptions: own.e.undeclared')
  expect(exitCode).toBe(1)
  expect(readReport(cwd).rules).toMatchObject([
    { id: 'own.a.fails', verdict: 'fail', expected: 'a thing', observed: '0 wallets' },
    { id: 'own.b.open', verdict: 'inconclusive', reason: 'the probe ended without a verdict on it' },
    { id: 'own.c.throws', verdict: 'inconclusive', reason: expect.stringContaining('boo') },
    {
      id: 'own.d.unseen',
      verdict: 'inconclusive',
      expected: 'a fourth',
      reason: expect.stringContaining('no finding'),
    },
  ])
})

const OPTIONS =
  "import { scenarioOptions } from './breakwater/scenarios/kit.ts'\nexport default function () {}\n"

test.each([
  {
    what: 'no JavaScript',
    text: 'export default {',
    says: /^breakwater: s\.k6\.ts: k6 rejects the script:\n {2}.*Line/,
  },
  {
    what: 'a file that is not there',
    text: "import './nowhere.ts'\nexport default function () {}",
    says: /k6 rejects the script:\n {2}.*nowhere\.ts.* couldn't be found/,
  },
  {
    what: 'a function that is not there',
    text: "export const options = { scenarios: { a: { executor: 'shared-iterations', exec: 'nope' } } }\nexport function a() {}",
    says: /function 'nope' not found in exports/,
  },
  {
    what: 'thresholds',
    text: `${OPTIONS}export const options = { thresholds: { http_reqs: ['count>1'] } }`,
    says: /^breakwater: s\.k6\.ts: options\.thresholds is not supported\n.*--slo/m,
  },
  {
    what: 'rules of Breakwater',
    text: `${OPTIONS}export const options = scenarioOptions({ rules: { 'ws.rooms.at-most-32': 'x', 'own.a': '' } })`,
    says: /invalid options:\n(.*\n)*.*ws\.rooms\.at-most-32.*expected an id such as own\.pools\.listed-reads/,
  },
])('rejects a script with $what, and leaves no run', async ({ text, says }) => {
  const cwd = scriptFolder(text)
  const { exitCode, stdout, stderr } = await runCommandLine(['run', 's.k6.ts'], { cwd })
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(readdirSync(cwd)).not.toContain('runs')
})

test.each([
  { argv: 'run nowhere.k6.ts', says: /^breakwater: nowhere\.k6\.ts: cannot be read: .*\n.*init scenario/ },
  { argv: 'run .', says: /^breakwater: \.: cannot be read: / },
  { argv: 'run mine.k6.ts --confirm exchange.example', says: /^breakwater: --confirm requires --target\n/ },
  { argv: 'init scenario ../mine', says: /^breakwater: "\.\.\/mine" is not a valid name/ },
  {
    argv: 'init pipeline mine',
    says: /what: invalid value "pipeline"\n {2}Expected profile, mix, slo or scenario\./,
  },
])('rejects `breakwater $argv`', async ({ argv, says }) => {
  const { exitCode, stderr, cwd } = await runCommandLine(argv.split(' '))
  expect(stderr).toMatch(says)
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual([])
})

test('Ctrl-C while k6 reads the script is no rejection of it', async () => {
  const cwd = scriptFolder('export default function () {}')
  const [fake, marker] = [join(cwd, 'k6'), join(cwd, 'inspected')]
  const k6 = await findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: () => {} })
  const lines = [
    '#!/bin/sh',
    `if [ "$1" = inspect ]; then touch '${marker}'; exit 130; fi`,
    `exec '${k6}' "$@"`,
  ]
  writeFileSync(fake, lines.join('\n'), { mode: 0o755 })
  const interrupted = new AbortController().signal
  Object.defineProperty(interrupted, 'aborted', { get: () => existsSync(marker) })
  const env = { ...process.env, BREAKWATER_K6: fake }
  const { exitCode, stderr } = await runCommandLine(['run', 's.k6.ts'], { cwd, env, interrupted })
  expect([stderr, exitCode]).toEqual(['breakwater: interrupted before any run started\n', 130])
})

test('`init scenario` overwrites nothing', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'mine.k6.ts'), 'precious')
  const { exitCode, stderr } = await runCommandLine(['init', 'scenario', 'mine'], { cwd })
  expect(stderr).toContain('mine.k6.ts: already exists, and is not overwritten')
  expect(exitCode).toBe(2)
  expect(readFileSync(join(cwd, 'mine.k6.ts'), 'utf8')).toBe('precious')
})

test('leaves a folder with the name of the link unchanged', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'breakwater'))
  const { exitCode, stderr } = await runCommandLine(['init', 'scenario', 'mine'], { cwd })
  expect(stderr).toMatch(/^breakwater: breakwater: exists and is not a link to the installation\n/)
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual(['breakwater'])
})

test.each(['elsewhere', '.'])('replaces a link to %s', async (target) => {
  const cwd = temporaryFolder()
  symlinkSync(target, join(cwd, 'breakwater'))
  const { exitCode } = await runCommandLine(['init', 'scenario', 'mine'], { cwd })
  expect(exitCode).toBe(0)
  expect(readlinkSync(join(cwd, 'breakwater'))).not.toBe(target)
})

function scriptFolder(text: string): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 's.k6.ts'), text)
  return cwd
}

function readReport(cwd: string): {
  rules: object[]
  latency: { groups: { routeGroup: string }[] }
} {
  return JSON.parse(readFileSync(join(cwd, 'run', 'report.json'), 'utf8'))
}
