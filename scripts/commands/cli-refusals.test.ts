import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

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
    what: 'wallets of a remote target that others can read',
    text: JSON.stringify({
      ...PROFILE,
      baseUrl: 'https://exchange.example',
      credentials: { wallets: 'profile.json' },
    }),
    exitCode: 2,
    says: /profile\.json: credentials\.wallets: profile\.json: has mode 0644, so others may read it\n.*chmod 600 /,
  },
  {
    what: 'a missing wallets file',
    text: JSON.stringify({ ...PROFILE, credentials: { wallets: 'wallets.json' } }),
    exitCode: 2,
    says: /profile\.json: credentials\.wallets: wallets\.json: cannot be read: there is no such file/,
  },
  {
    what: 'a missing certificate file',
    text: JSON.stringify({ ...PROFILE, ca: 'ca.pem' }),
    exitCode: 2,
    says: /^breakwater: profile\.json: ca: ca\.pem: cannot be read: there is no such file/,
  },
  {
    what: 'a certificate file without a certificate',
    text: JSON.stringify({ ...PROFILE, ca: 'profile.json' }),
    exitCode: 2,
    says: /^breakwater: profile\.json: ca: profile\.json: contains no certificate\n/,
  },
  {
    what: 'a target that is not running',
    text: JSON.stringify(PROFILE),
    exitCode: 3,
    says: /the target does not respond: GET http:\/\/127\.0\.0\.1:1\/health: connect ECONNREFUSED 127\.0\.0\.1:1\n {2}Check that it is running/,
  },
])('rejects a profile with $what, and starts nothing', async ({ text, exitCode, says }) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'profile.json'), text)
  const result = await runCommandLine(['smoke', '--target', 'profile.json'], { cwd })
  expect(result.stderr).toMatch(says)
  expect(result.exitCode).toBe(exitCode)
  expect(readdirSync(cwd)).toEqual(['profile.json'])
})

test.each([
  {
    options: ['--confirm', 'exchange.example.org'],
    says: /--confirm exchange\.example\.org: the target is exchange\.example, 127\.0\.0\.1\n/,
  },
  {
    options: ['--slo', 'smoke', '--confirm', 'exchange.example'],
    says: /--slo: no load is allowed: .* \(allow\.load\)/,
  },
])('rejects $options for a remote target before any request', async ({ options, says }) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'p.json'), JSON.stringify({ ...PROFILE, baseUrl: 'https://exchange.example' }))
  const { exitCode, stderr } = await runCommandLine(['smoke', '--target', 'p.json', ...options], { cwd })
  expect(stderr).toMatch(says)
  expect(exitCode).toBe(2)
})

test('rejects waivers of unknown rules, without a reason, or without an end', async () => {
  const cwd = temporaryFolder()
  const write = (waivers: unknown) => writeFileSync(join(cwd, 'w.json'), JSON.stringify(waivers))
  const smoke = () => runCommandLine(['smoke', '--waivers', 'w.json'], { cwd })
  write([{ rule: 'ws.room.*', reason: 'known', until: '2999-12-31' }])
  expect(await smoke()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /w\.json: not a valid list of waivers:\n {2}\[0\]\.rule: no rule matches "ws\.room\.\*"; did you mean ws\.rooms\.32-deliver, .*\?\n/,
    ),
  })
  write([{ rule: 'ws.*' }])
  expect(await smoke()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/\[0\]\.reason: .*\n {2}\[0\]\.until: /),
  })
})

const BAD_FILES = [
  { command: 'smoke', options: ['--waivers', 'nowhere.json'] },
  { command: 'smoke', options: ['--waivers', 'bad.json'] },
  { command: 'smoke', options: ['--slo', 'bad.json'] },
  { command: 'smoke', options: ['--mix', 'bad.json'] },
  { command: 'smoke', options: ['--baseline', 'nowhere'] },
  { command: 'load', options: ['--rate', '1', '--slo', 'bad.json'] },
  { command: 'load', options: ['--rate', '1', '--mix', 'bad.json'] },
  { command: 'load', options: ['--rate', '1', '--k6-out', 'nothing'] },
  { command: 'load', options: ['--rate', '1', '--baseline', 'nowhere'] },
  { command: 'capacity', options: ['--stages', 'bad.json'] },
  { command: 'capacity', options: ['--slo', 'nowhere.json'] },
  { command: 'run', options: ['nowhere.k6.ts'] },
  { command: 'run', options: ['scenario.k6.ts', '--slo', 'bad.json'] },
  { command: 'repro', options: ['run', 'bad.json'] },
]

test.each(BAD_FILES)('$command $options is rejected before the target gets a request', async (given) => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end('[]')
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const cwd = temporaryFolder()
  const allow = { load: true, mutations: true }
  const profile = { ...PROFILE, baseUrl: `http://127.0.0.1:${port}`, allow }
  writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile))
  writeFileSync(join(cwd, 'bad.json'), '{"nothing": 1}')
  writeFileSync(join(cwd, 'scenario.k6.ts'), 'export default function () {}')
  const { exitCode, stderr } = await runCommandLine([given.command, ...given.options, '--target', 'p.json'], {
    cwd,
  })
  expect(stderr).toMatch(/bad\.json: not a valid |nowhere\S*: |nothing: unknown output/)
  expect([exitCode, requests]).toEqual([2, 0])
})

test('rejects a mutant with a target', async () => {
  const { exitCode, stderr } = await runCommandLine([
    'smoke',
    '--target',
    'p.json',
    '--mutant',
    'ws-33-rooms',
  ])
  expect(stderr).toContain('--mutant applies only to the stub, not to --target')
  expect(exitCode).toBe(2)
})

test('rejects a run folder that is not empty, and leaves it unchanged', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'precious.txt'), 'x')
  const { exitCode, stderr } = await runCommandLine(
    ['smoke', '--no-load', '--rules', 'wire.*', '--output', '.'],
    { cwd },
  )
  expect(stderr).toContain('the folder is not empty, and runs never overwrite files')
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual(['precious.txt'])
})

const ALL_OF_A_RUN = ['--target', 'p.json', '--rate', '1', '--image', 'i']

test.each([
  { command: ['run', ...ALL_OF_A_RUN], namespace: '../../other' },
  { command: ['run', ...ALL_OF_A_RUN], namespace: 'Team' },
  { command: ['collect', 'evening'], namespace: 'a b' },
])('k8s $command.0 rejects --namespace "$namespace" before any request', async (given) => {
  const argv = ['k8s', ...given.command, '--namespace', given.namespace]
  const { exitCode, stderr } = await runCommandLine(argv, { cwd: temporaryFolder() })
  expect(stderr).toContain('--namespace: invalid value')
  expect(stderr).toContain('Expected a Kubernetes name')
  expect(exitCode).toBe(2)
})

test('k8s collect rejects an invalid name of a TestRun', async () => {
  const { exitCode, stderr } = await runCommandLine(['k8s', 'collect', '../secrets/other'])
  expect(stderr).toContain('Expected a Kubernetes name')
  expect(exitCode).toBe(2)
})
