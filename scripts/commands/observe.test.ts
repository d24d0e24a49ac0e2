import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

async function start(): Promise<Stub> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  return stub
}

function observe(
  stub: Stub,
  line: string,
  more: { cwd?: string; interrupted?: AbortSignal; onStdout?: (line: string) => void } = {},
) {
  return runCommandLine(['observe', '--control', String(stub.profile.control), ...line.split(' ')], {
    env: { BREAKWATER_CONTROL_TOKEN: stub.controlToken },
    ...more,
  })
}

const sendBadly = ({ profile }: Stub, userAgent = 'bad client') =>
  fetch(`${profile.baseUrl}/pools?limit=007`, { headers: { 'user-agent': userAgent } })

test('prints observation, advice and journal entries, and exits with 1', async () => {
  const stub = await start()
  await sendBadly(stub)
  const { exitCode, stdout, stderr } = await observe(stub, '--duration 0s --all')
  const lines = stdout.split('\n')
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}client\.input\.canonical {2}127\.0\.0\.1 bad client$/)
  expect(lines[1]).toBe('  observed  sent limit=007, which was rejected')
  expect(lines[2]).toMatch(/^ {2}fix {7}Send numbers as plain ASCII digits/)
  expect(lines[3]).toMatch(/^ {2}journal {3}1 .* GET \/pools 400, invalid_request, ref r0000001$/)
  expect(lines.slice(4)).toEqual([
    'rule                    verdict  situations  handled  violations',
    'client.input.canonical  fail              1        0           1',
    `1 finding; ${CLIENT_RULES.length} rules: 1 violated, 0 passed, ${CLIENT_RULES.length - 1} not exercised`,
    '',
  ])
  expect([exitCode, stderr]).toEqual([1, ''])
})

test('counts only new findings by default', async () => {
  const stub = await start()
  await sendBadly(stub)
  const { exitCode, stdout } = await observe(stub, '--duration 0s')
  expect([exitCode, stdout]).toEqual([
    0,
    `0 findings; ${CLIENT_RULES.length} rules: 0 violated, 0 passed, ${CLIENT_RULES.length} not exercised\n`,
  ])
})

test('writes a test case for each rule: failed, passed, skipped', async () => {
  const stub = await start()
  await sendBadly(stub)
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  await fetch(`${stub.profile.baseUrl}/fee-tiers`, { headers })
  const { cwd } = await observe(stub, '--duration 0s --all --junit observed.xml')
  const xml = readFileSync(join(cwd, 'observed.xml'), 'utf8')
  expect(xml).toContain(
    `<testsuites name="breakwater observe" tests="${CLIENT_RULES.length}" failures="1" errors="0" skipped="${CLIENT_RULES.length - 2}">`,
  )
  expect(xml).toContain('<failure message="sent limit=007, which was rejected">')
  expect(xml).toContain('<testcase classname="client" name="client.secrets.not-in-urls"/>')
})

test('prints one JSON object per line, only of the selected rules', async () => {
  const stub = await start()
  await sendBadly(stub)
  const { exitCode, stdout } = await observe(stub, '--duration 0s --all --json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    number: 1,
    rule: 'client.input.canonical',
    client: '127.0.0.1 bad client',
    evidence: [{ kind: 'request', route: '/pools', status: 400 }],
  })
  expect(await observe(stub, '--duration 0s --all --json --rules client.ticket.*')).toMatchObject({
    exitCode: 0,
    stdout: '',
  })
})

test('observes until it is interrupted, and writes its findings', async () => {
  const stub = await start()
  const interrupted = new AbortController()
  const cwd = temporaryFolder()
  let printed = ''
  const ended = observe(stub, '--junit observed.xml', {
    cwd,
    interrupted: interrupted.signal,
    onStdout(line) {
      printed += line
    },
  })
  let count = 0
  await vi.waitFor(async () => {
    // Each is another client, with a new finding.
    await sendBadly(stub, `bad client ${++count}`)
    expect(printed).toContain('client.input.canonical')
  })
  interrupted.abort()
  expect((await ended).exitCode).toBe(130)
  const xml = readFileSync(join(cwd, 'observed.xml'), 'utf8')
  expect(xml).toContain('name="observed to its end"')
  expect(xml).toContain('<failure message="sent limit=007, which was rejected">')
})

test('if the stub stops, prints and writes the findings until then, and exits with 3', async () => {
  const stub = await start()
  await sendBadly(stub)
  const onStdout = vi.fn(() => void stub.close())
  const { exitCode, stdout, stderr, cwd } = await observe(stub, '--duration 1h --all --junit seen.xml', {
    onStdout,
  })
  expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^breakwater: GET .*: no response\n/)])
  expect(stdout).toContain('1 finding; ')
  const xml = readFileSync(join(cwd, 'seen.xml'), 'utf8')
  expect(xml).toContain(`tests="${CLIENT_RULES.length + 1}" failures="1" errors="1"`)
  expect(xml).toMatch(/<error message="GET .*: no response">The following results cover the time until then/)
})

test('a rule that a client keeps violating since before the start does not pass', async () => {
  const findings = (violations: number) => ({
    findings: [],
    last: 1,
    duties: { 'client.429.waits': { situations: 3, handled: 0, violations } },
  })
  let count = 0
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url?.startsWith('/findings') ? findings(++count) : {}))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const control = `http://127.0.0.1:${port}`
  const { exitCode, stdout, stderr, cwd } = await runCommandLine(
    ['observe', '--control', control, '--duration', '0s', '--junit', 'seen.xml'],
    { env: { BREAKWATER_CONTROL_TOKEN: 'token' } },
  )
  expect([exitCode, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(
    /\n0 findings; \d+ rules: 1 violated, 0 passed, .*; reported before, .*: client\.429\.waits\n$/,
  )
  expect(readFileSync(join(cwd, 'seen.xml'), 'utf8')).toContain(
    'still violated (1 more), as reported before this command started',
  )
})

test('escapes control characters of a User-Agent', async () => {
  const stub = await start()
  await sendBadly(stub, 'evil\u009b2J')
  const { stdout } = await observe(stub, '--duration 0s --all')
  expect(stdout).toContain('127.0.0.1 evil\\u009b2J')
})

test('finds the stub by its profile', async () => {
  const stub = await start()
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'stub.json'), JSON.stringify(stub.profile))
  const run = await runCommandLine(['observe', '--target', 'stub.json', '--duration', '0s'], {
    cwd,
    env: { BREAKWATER_CONTROL_TOKEN: stub.controlToken },
  })
  expect([run.exitCode, run.stderr]).toEqual([0, ''])
})

test('lists the rules, one first on each line', async () => {
  const { exitCode, stdout } = await runCommandLine(['observe', '--list-rules'])
  expect(exitCode).toBe(0)
  expect(stdout.trimEnd().split('\n')).toHaveLength(CLIENT_RULES.length)
  expect(stdout).toMatch(/^client\.429\.waits +Waits before it retries after a 429\.$/m)
})

test.each([
  ...['ever', '25h'].map((text) => ({
    line: `--duration ${text}`,
    says: `--duration: invalid value "${text}"\n  Expected a duration from 0s to 24h, such as 60s.`,
  })),
  { line: '--rules ws.*', says: '--rules: no rule matches "ws.*"' },
  { line: '--junit none/observed.xml --duration 0s', says: 'none/observed.xml: cannot be written' },
  { line: '--target stub.json', says: '--target' },
])('rejects $line', async ({ line, says }) => {
  const stub = await start()
  const { exitCode, stderr } = await observe(stub, line)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)])
})

test.each([[], ['--all']])('exits with 3 without a stub: %s', async (...more) => {
  const { exitCode, stdout, stderr } = await runCommandLine(
    ['observe', '--control', 'http://127.0.0.1:1', '--duration', '0s', ...more],
    { env: { BREAKWATER_CONTROL_TOKEN: 'token' } },
  )
  expect([exitCode, stdout, stderr]).toEqual([3, '', expect.stringContaining('no response')])
})
