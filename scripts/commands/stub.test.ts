import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { profileSchema } from '../../contract/profile.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const stateSchema = z.object({ data: z.object({ observed_block: z.int() }) })
const PORTS = ['--port=0', '--feed-port=0', '--control-port=0']

/** The latest block in the REST API. */
async function shownBlock(argv: readonly string[], cwd: string): Promise<number> {
  const abort = new AbortController()
  let baseUrl = ''
  let block: Promise<number> | undefined
  const onStdout = (line: string) => {
    if (line.startsWith('REST ')) baseUrl = line.split(/ +/)[1] ?? ''
    if (line === 'Press Ctrl-C to stop.') block = observedBlock(baseUrl).finally(() => abort.abort())
  }
  const ended = await runCommandLine(['stub', ...PORTS, ...argv], {
    cwd,
    interrupted: abort.signal,
    onStdout,
  })
  expect(ended).toMatchObject({ exitCode: 130, stderr: '' })
  return (await block) ?? expect.fail()
}

async function observedBlock(baseUrl: string): Promise<number> {
  const response = await fetch(`${baseUrl}/protocol/state`)
  const { data } = stateSchema.parse(await response.json())
  return data.observed_block
}

test('restores a dump', async () => {
  const cwd = temporaryFolder()
  await runCommandLine('chain --world tiny --blocks 1000 --dump world.dump'.split(' '), { cwd })
  expect(await shownBlock(['--from-dump', 'world.dump'], cwd)).toBeGreaterThanOrEqual(1300)
  // A world without a dump has only its history.
  expect(await shownBlock(['--world', 'tiny'], cwd)).toBeLessThan(1300)
})

// Only Linux routes all of 127.0.0.0/8 to this machine.
test.runIf(process.platform === 'linux')('binds to --host, and by default only to this machine', async () => {
  const answer = async (argv: readonly string[]) => {
    const abort = new AbortController()
    let status: Promise<number | string> | undefined
    const onStdout = (line: string) => {
      const [, port] = /^REST +http:\/\/127\.0\.0\.1:(\d+) /.exec(line) ?? []
      if (port === undefined) return
      status = fetch(`http://127.0.0.2:${port}/health`).then(
        ({ status }) => status,
        () => 'refused',
      )
      status.finally(() => abort.abort())
    }
    await runCommandLine(['stub', ...PORTS, ...argv], { interrupted: abort.signal, onStdout })
    return status
  }
  expect(await answer(['--host', '0.0.0.0'])).toBe(200)
  expect(await answer([])).toBe('refused')
})

test.each([
  ['a name', 'localhost', 2, 'Expected an IP address, such as 127.0.0.1 or 0.0.0.0.'],
  ['an address of another machine', '203.0.113.7', 3, 'the host is not an address of this machine'],
])('does not listen at %s', async (_, host, code, message) => {
  const { exitCode, stderr } = await runCommandLine(['stub', ...PORTS, '--host', host])
  expect(stderr).toContain(message)
  expect(exitCode).toBe(code)
})

test('takes the control token from the environment', async () => {
  const up = async (token: string) => {
    const abort = new AbortController()
    const onStdout = (line: string) => line === 'Press Ctrl-C to stop.' && abort.abort()
    const env = { ...process.env, BREAKWATER_CONTROL_TOKEN: token }
    return runCommandLine(['stub', ...PORTS, '--show-tokens'], { env, interrupted: abort.signal, onStdout })
  }
  expect((await up('a-token-of-my-own')).stdout).toContain('  token a-token-of-my-own\n')
  expect((await up('')).stdout).toMatch(/ {2}token [\w-]{43}\n/)
  const refused = await up('too short')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('BREAKWATER_CONTROL_TOKEN: not a valid stub token')
})

test('injects faults from the start', async () => {
  const cwd = temporaryFolder()
  const abort = new AbortController()
  let status: Promise<number> | undefined
  let baseUrl = ''
  const onStdout = (line: string) => {
    if (line.startsWith('REST ')) baseUrl = line.split(/ +/)[1] ?? ''
    if (line !== 'Press Ctrl-C to stop.') return
    status = fetch(`${baseUrl}/fee-tiers`).then((response) => response.status)
    status.finally(() => abort.abort())
  }
  const argv = ['stub', ...PORTS, '--faults', 'one-route-503']
  const { stdout } = await runCommandLine(argv, { cwd, interrupted: abort.signal, onStdout })
  expect(await status).toBe(503)
  expect(stdout).toContain('\nfaults   The first three reads of the fee tiers fail with 503')
})

test('limits the service rate, and prints it', async () => {
  const abort = new AbortController()
  let metrics: Promise<string> | undefined
  let baseUrl = ''
  const onStdout = (line: string) => {
    if (line.startsWith('REST ')) baseUrl = line.split(/ +/)[1] ?? ''
    if (line !== 'Press Ctrl-C to stop.') return
    metrics = fetch(`${baseUrl}/fee-tiers`)
      .then(() => fetch(`${baseUrl}/metrics`))
      .then((response) => response.text())
    metrics.finally(() => abort.abort())
  }
  const argv = ['stub', ...PORTS, '--service-rate', '50']
  const { stdout } = await runCommandLine(argv, { interrupted: abort.signal, onStdout })
  expect(await metrics).toContain('\nbreakwater_service_queue_requests_max 1\n')
  expect(stdout).toContain('\nqueue    serves 50 REST requests per second, one after another, in real time\n')
})

test.each(['0', '100001', '1.5', 'all'])('rejects a service rate of %s', async (rate) => {
  const { exitCode, stderr } = await runCommandLine(['stub', '--service-rate', rate])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(
    `--service-rate: invalid value "${rate}"\n  Expected a whole number from 1 to 100000.`,
  )
})

test('stub --fan-out-rate --max-sockets: prints both, and rejects the socket above the limit', async () => {
  const abort = new AbortController()
  let feed = ''
  let rejected: Promise<string> | undefined
  const onStdout = (line: string) => {
    feed ||= /^feed +(\S+)/.exec(line)?.[1] ?? ''
    if (line !== 'Press Ctrl-C to stop.') return
    rejected = rejectSecond(feed).finally(() => abort.abort())
  }
  const argv = ['stub', ...PORTS, '--fan-out-rate', '500', '--max-sockets', '1']
  const { stdout } = await runCommandLine(argv, { interrupted: abort.signal, onStdout })
  expect(await rejected).toBe('Unexpected server response: 503')
  expect(stdout).toContain('\nfan-out  each gateway node sends 500 events per second, in real time\n')
  expect(stdout).toContain('\nsockets  at most 1; further upgrades get 503\n')
})

async function rejectSecond(url: string): Promise<string> {
  const first = new WebSocket(url)
  await once(first, 'open')
  const [error] = await once(new WebSocket(url), 'error').catch((thrown: Error) => [thrown])
  return error.message
}

test.each(['--fan-out-rate', '--max-sockets'])('rejects %s 0', async (option) => {
  const { exitCode, stderr } = await runCommandLine(['stub', option, '0'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`${option}: invalid value "0"\n  Expected a whole number from 1 to 1000000.`)
})

test.each([
  { argv: [], limit: { burst: 2000, perSecond: 1000, per: 'credential' } },
  { argv: ['--no-rate-limit'], limit: { burst: 1_000_000, perSecond: 1_000_000, per: 'credential' } },
])('stub $argv: the profile has its rate limit', async ({ argv, limit }) => {
  const cwd = temporaryFolder()
  const abort = new AbortController()
  const onStdout = (line: string) => line === 'Press Ctrl-C to stop.' && abort.abort()
  const line = ['stub', ...PORTS, '--profile', 'stub.json', ...argv]
  await runCommandLine(line, { cwd, interrupted: abort.signal, onStdout })
  const { choices } = profileSchema.parse(JSON.parse(readFileSync(join(cwd, 'stub.json'), 'utf8')))
  expect(choices.rateLimit).toEqual(limit)
})

test('runs several nodes by options or choices, and prints them', async () => {
  const nodesLine = async (argv: readonly string[]) => {
    const abort = new AbortController()
    let shown: string | undefined
    const onStdout = (line: string) => {
      if (line.startsWith('nodes ')) shown = line
      if (line === 'Press Ctrl-C to stop.') abort.abort()
    }
    await runCommandLine(['stub', ...PORTS, ...argv], { interrupted: abort.signal, onStdout })
    return shown
  }
  expect(await nodesLine([])).toBeUndefined()
  expect(await nodesLine(['--replicas', '2', '--replica-lag', '1s500ms', '--gateways', '3'])).toBe(
    'nodes    replicas for public reads: 2, up to 1500 ms behind; gateway nodes: 3',
  )
  expect(await nodesLine(['--choices', 'replicated', '--replicas', '0'])).toBe('nodes    gateway nodes: 2')
  expect(await nodesLine(['--rolling-restart', '1m30s'])).toBe('nodes    one restarts every 90 s, in turn')
})

test('observes no clients with --no-observer', async () => {
  const abort = new AbortController()
  const seen: Record<string, unknown> = {}
  const addresses: Record<string, string> = {}
  const ask = async (token: string) => {
    await fetch(`${addresses.REST}/pools?limit=007`)
    for (const path of ['/findings', '/journal']) {
      const headers = { Authorization: `Bearer ${token}` }
      seen[path] = await (await fetch(`${addresses.control}${path}`, { headers })).json()
    }
  }
  let asked: Promise<void> | undefined
  let token = ''
  const onStdout = (line: string) => {
    const [name = '', address = ''] = line.split(/ +/)
    if (name === 'REST' || name === 'control') addresses[name] = address
    if (name === 'control') token = line.split(/ +/).at(-1) ?? ''
    if (line === 'Press Ctrl-C to stop.') asked = ask(token).finally(() => abort.abort())
  }
  const argv = ['stub', ...PORTS, '--no-observer', '--show-tokens']
  const { stdout } = await runCommandLine(argv, { interrupted: abort.signal, onStdout })
  await asked
  expect(stdout).not.toContain('breakwater observe')
  expect(seen).toMatchObject({ '/findings': { last: 0 }, '/journal': { last: 0 } })
})

test('rejects faults on unknown routes, and starts nothing', async () => {
  const cwd = temporaryFolder()
  const faults = [{ fault: 'http-hang', where: { routes: ['GET /pol'] } }]
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ description: 'of a test', faults }))
  const ended = await runCommandLine(['stub', ...PORTS, '--faults', 'mine.json'], { cwd })
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' })
  expect(ended.stderr).toBe(
    [
      'breakwater: mine.json: the fault plan does not fit this exchange:',
      '  faults[0].where.routes[0]: "GET /pol" matches no route; did you mean GET /pools, GET /docs or GET /route?',
      '  A route is a method and a registered path, such as GET /pools/:key; * matches any text.\n',
    ].join('\n'),
  )
})

test.each([
  { line: '--from-dump=', says: /Expected a non-empty text\./ },
  { line: '--faults no-such', says: /^breakwater: unknown fault plan "no-such"\n {2}Did you mean / },
])('rejects `breakwater stub $line` with one message and exit code 2', async ({ line, says }) => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'folder'))
  writeFileSync(join(cwd, 'other'), '{"seed":7}\n')
  const { exitCode, stdout, stderr } = await runCommandLine(['stub', ...PORTS, ...line.split(' ')], { cwd })
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(readdirSync(cwd)).toEqual(['folder', 'other'])
})

test('rejects what is no dump, or a damaged one, like `breakwater chain`', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'folder'))
  await runCommandLine('chain --world tiny --blocks 0 --dump whole'.split(' '), { cwd })
  const whole = readFileSync(join(cwd, 'whole'))
  writeFileSync(join(cwd, 'cut'), whole.subarray(0, 1_000_000))
  writeFileSync(join(cwd, 'other'), whole.toString('latin1').replace('"version":', '"version":9'), 'latin1')
  for (const line of ['cut', 'other', 'nowhere', 'folder', 'it --world tiny', 'it --seed 7']) {
    const dump = ['--from-dump', ...line.split(' ')]
    const up = await runCommandLine(['stub', ...PORTS, ...dump], { cwd })
    const chain = await runCommandLine(['chain', ...dump], { cwd })
    expect(up).toEqual(chain)
    expect(up).toMatchObject({ exitCode: 2, stdout: '' })
  }
})
