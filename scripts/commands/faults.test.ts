import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

let stub: Stub

beforeAll(async () => {
  stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  return () => stub.close()
})

/** Passes the address and the token of the stub by default. */
async function run(line: string, { env, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {}) {
  const { control } = stub.profile
  const argv = /--(control|target)/.test(line) ? line : `${line} --control ${control}`
  return runCommandLine(['faults', ...argv.split(' ')], {
    env: env ?? { BREAKWATER_CONTROL_TOKEN: stub.controlToken },
    ...(cwd !== undefined && { cwd }),
  })
}

const request = async () => (await fetch(`${stub.profile.baseUrl}/fee-tiers`)).status

test('applies a plan to a running stub, lists its triggers, and clears it', async () => {
  expect(await run('list')).toMatchObject({ exitCode: 0, stdout: 'no fault is active\n' })
  const applied = await run('apply one-route-503')
  expect(applied).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: [
      '1 fault active: The first three reads of the fee tiers fail with 503: one of several calls that a client makes together.',
      '   0  http-error  triggered 0 of 0 times\n',
    ].join('\n'),
  })
  expect([await request(), await request(), await request(), await request()]).toEqual([503, 503, 503, 401])
  expect((await run('list')).stdout).toContain('   0  http-error  triggered 3 of 4 times\n')
  expect(JSON.parse((await run('list --json')).stdout).faults).toEqual([
    { place: 0, fault: 'http-error', decisions: 4, triggered: 3 },
  ])
  expect((await run('clear')).stdout).toBe('1 fault cleared\n')
  expect((await run('clear')).stdout).toBe('no fault is active\n')
  expect(JSON.parse((await run('clear --json')).stdout)).toEqual({ cleared: 0 })
})

test('exports the decisions of a plan, which replay', async () => {
  expect(await run('export')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^breakwater: GET http:\S+\/faults\/schedule: no fault plan is active: apply one, /,
    ),
  })
  const cwd = temporaryFolder()
  const faults = [
    { fault: 'http-error', where: { routes: ['GET /fee-tiers'] }, when: { probability: 0.5 } },
    { fault: 'http-hang', where: { routes: ['POST /auth/refresh'] } },
  ]
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ description: 'of a test', faults }))
  await run('apply mine.json', { cwd })
  const requestAll = async () => [await request(), await request(), await request(), await request()]
  const statuses = await requestAll()
  const { stdout } = await run('export --output schedule.json', { cwd })
  const failed = statuses.flatMap((status, index) => (status === 503 ? [index + 1] : []))
  expect(stdout).toBe(`schedule.json: 2 faults, triggered ${failed.length} times\n`)
  const written = JSON.parse(readFileSync(join(cwd, 'schedule.json'), 'utf8'))
  expect(written).toMatchObject({ faults: [{ when: { on: failed } }, { when: { on: [] } }] })
  expect(JSON.parse((await run('export --output again.json --json', { cwd })).stdout)).toEqual(written)
  expect(JSON.parse(readFileSync(join(cwd, 'again.json'), 'utf8'))).toEqual(written)

  writeFileSync(join(cwd, 'slo.json'), '{ "name": "mine" }')
  expect(await run('export --output slo.json', { cwd })).toMatchObject({
    exitCode: 2,
    stderr:
      'breakwater: slo.json: exists and is not a fault plan\n  Name another file, because this one would be overwritten. Expected a new file, or a fault plan.\n',
  })
  expect(readFileSync(join(cwd, 'slo.json'), 'utf8')).toBe('{ "name": "mine" }')
  expect(await run('export --output mine.json', { cwd })).toMatchObject({ exitCode: 0 })

  await run('apply schedule.json', { cwd })
  expect(await requestAll()).toEqual(statuses)
  expect(JSON.parse((await run('export')).stdout)).toEqual(written)
  expect(new Set(statuses)).toEqual(new Set([401, 503]))
  await run('clear')
})

test('finds the stub by its profile', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'stub.json'), JSON.stringify(stub.profile))
  expect(await run('list --target stub.json', { cwd })).toMatchObject({ exitCode: 0, stderr: '' })
})

test.each([
  {
    what: 'is wrong in itself',
    faults: [{ fault: 'http-error', when: { probability: -1 } }, { fault: 'nothing' }],
    says: [
      'breakwater: mine.json: not a valid fault plan:',
      '  faults[0].when.probability: expected more than 0',
      '  faults[1].fault: unknown name "nothing"; did you mean ',
    ],
  },
  {
    what: 'names routes that the stub does not have',
    faults: [
      { fault: 'http-reset', where: { routes: ['GET /pools', 'GET /poools*'] } },
      { fault: 'http-hang', where: { routes: ['POST /swaps'] } },
    ],
    says: [
      'breakwater: mine.json: the fault plan does not fit this exchange:',
      'faults[0].where.routes[1]: "GET /poools*" matches no route; did you mean GET /pools, ',
      'faults[1].where.routes[0]: "POST /swaps" matches no route; did you mean GET /swaps, ',
    ],
  },
])('a plan that $what is rejected, and the active plan stays', async ({ faults, says }) => {
  await run('apply one-route-503')
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ description: 'of a test', faults }))
  const { exitCode, stdout, stderr } = await run('apply mine.json', { cwd })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  for (const text of says) expect(stderr).toContain(text)
  expect((await run('list')).stdout).toContain('The first three reads')
})

test.each([
  { line: 'apply', says: /^breakwater: faults apply: missing argument: plan/ },
  { line: 'apply no-such', says: /^breakwater: unknown fault plan "no-such"\n {2}Did you mean / },
  { line: 'apply nowhere.json', says: /^breakwater: nowhere\.json: cannot be read: there is no such file/ },
  {
    line: 'aply outage',
    says: /^breakwater: faults: unknown command "aply"\n {2}Expected apply, list, export or clear\./,
  },
  {
    line: 'list --control nowhere',
    says: /^breakwater: --control nowhere: expected the URL of a control/,
  },
  {
    line: 'list --control http://exchange.example',
    says: /^breakwater: --control http:\/\/exchange\.example: .*\n {2}For example .* loopback only/,
  },
  {
    line: 'list --control https://127.0.0.1:1',
    says: /^breakwater: --control https:\/\/127\.0\.0\.1:1: .*\n {2}For example http:.* without TLS\.\n$/,
  },
  {
    line: 'list --control http://127.0.0.1:1 --target x.json',
    says: /cannot be used with --control/,
  },
])('rejects `breakwater faults $line`', async ({ line, says }) => {
  const { exitCode, stdout, stderr } = await run(line)
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
})

test('a target without a control API has no faults', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'real.json'), JSON.stringify({ ...stub.profile, control: null }))
  const { exitCode, stderr } = await run('clear --target real.json', { cwd })
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^breakwater: real\.json: control is null/)])
})

test.each([
  { env: {}, says: /^breakwater: BREAKWATER_CONTROL_TOKEN is not set\n {2}.*`breakwater stub` prints/ },
  { env: { BREAKWATER_CONTROL_TOKEN: 'old' }, says: /rejected the token in BREAKWATER_CONTROL_TOKEN\n/ },
  ...['two\nlines', 'zażółć'].map((token) => ({
    env: { BREAKWATER_CONTROL_TOKEN: token },
    says: /^breakwater: BREAKWATER_CONTROL_TOKEN contains invalid characters\n/,
  })),
])('needs the token of the stub: $env', async ({ env, says }) => {
  const { exitCode, stderr } = await run('list', { env })
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(says)])
})

test('exits with 3 without a stub', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo // as: it listens on a port
  await new Promise((closed) => server.close(closed))
  const { exitCode, stderr } = await run(`list --control http://127.0.0.1:${port}/`)
  expect(exitCode).toBe(3)
  expect(stderr).toBe(
    `breakwater: GET http://127.0.0.1:${port}/faults: no response\n  Check that the stub is running, and pass the control address that \`breakwater stub\` prints with --control or --target.\n`,
  )
})

test('names the request if the address is not a control API', async () => {
  const { exitCode, stderr } = await run(`list --control ${stub.profile.control}/elsewhere`)
  expect([exitCode, stderr]).toEqual([
    2,
    [
      `breakwater: GET ${stub.profile.control}/elsewhere/faults: the resource does not exist`,
      '  Check that the address is the root of the control API of a stub.\n',
    ].join('\n'),
  ])
})

test('exits with 3 if another server responds', async () => {
  const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const { exitCode, stderr } = await run(`clear --control http://127.0.0.1:${port}`)
  expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/returned 200, not a response of a stub/)])
})
