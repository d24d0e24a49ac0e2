// Quotes hostile texts through the real commands: nothing in them controls a terminal or a log.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RUN_FILES } from '../contract/run.ts'
import { logCommands, UNSAFE } from '../reports/hostile-text.ts'
import { makeSyntheticRun } from '../reports/synthetic-run.ts'
import { runCommandLine } from '../tools/test/run-command-line.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'

const RUN_MS_MAX = 60_000

/** Blinking is not one of our colors. */
const ATTACK =
  'planted\u001b]0;title\u0007\u001b[5m\u009b5m\u202e\rbreakwater: forged\nbreakwater: forged\n::error::forged\n##[error]forged\n'

type Case = {
  what: string
  /** Plants the text in the folder; returns the command line. */
  plant: (cwd: string) => string[] | Promise<string[]>
  /** Default: usage error. */
  exitCode?: number
}

const CASES: readonly Case[] = [
  { what: 'the name of a command', plant: () => [ATTACK] },
  { what: 'an option', plant: () => ['smoke', `--${ATTACK}`] },
  { what: 'a number', plant: () => ['smoke', '--seed', ATTACK] },
  { what: 'the name of a profile that does not exist', plant: () => buildLoadArgs(ATTACK) },
  {
    what: 'the name of a profile that is not JSON',
    plant: (cwd) => buildLoadArgs(written(cwd, `${ATTACK}.json`, 'no JSON')),
  },
  { what: 'a key of a profile', plant: (cwd) => buildLoadArgs(profile(cwd, { [ATTACK]: 1 })) },
  {
    what: 'a key of a profile, for doctor',
    plant: (cwd) => ['doctor', '--target', profile(cwd, { [ATTACK]: 1 })],
    exitCode: 3,
  },
  {
    what: 'a target that doctor checks',
    plant: async (cwd) => [
      'doctor',
      '--target',
      profile(cwd, { name: ATTACK, ...(await hostileServer(JSON.stringify({ error: ATTACK }))) }),
    ],
    exitCode: 3,
  },
  {
    what: 'the body of an error of a control API',
    plant: async (cwd) => {
      const { baseUrl } = await hostileServer(JSON.stringify({ error: ATTACK, code: ATTACK }), 400)
      return ['faults', 'list', '--target', profile(cwd, { control: baseUrl })]
    },
    exitCode: 2,
  },
  { what: 'the name of a missing run folder', plant: () => ['report', ATTACK] },
  { what: 'a run', plant: async (cwd) => ['report', await runFolder(cwd)], exitCode: 1 },
  { what: 'a run, as JSON', plant: async (cwd) => ['report', '--json', await runFolder(cwd)], exitCode: 1 },
  {
    what: 'a list of runs',
    plant: async (cwd) => {
      await runFolder(cwd)
      return ['runs', '.']
    },
    exitCode: 0,
  },
  {
    what: 'a list of runs, as JSON',
    plant: async (cwd) => {
      await runFolder(cwd)
      return ['runs', '.', '--json']
    },
    exitCode: 0,
  },
  {
    what: 'the names of compared runs, and of their routes',
    plant: async (cwd) => ['compare', await runFolder(cwd, `${ATTACK}a`), await runFolder(cwd, `${ATTACK}b`)],
    exitCode: 3,
  },
  {
    what: 'a case',
    plant: (cwd) => [
      'repro',
      'show',
      `./${written(cwd, 'case.json', JSON.stringify({ [ATTACK]: 1, rules: [ATTACK] }))}`,
    ],
  },
  {
    what: 'a case',
    plant: (cwd) => [
      'repro',
      'show',
      `./${written(cwd, 'case.json', JSON.stringify({ title: ATTACK.slice(0, 100), story: ATTACK, rules: ['paging.limit.rejects-101'] }))}`,
    ],
    exitCode: 0,
  },
  {
    what: 'a script that k6 rejects',
    plant: (cwd) => ['run', written(cwd, 's.k6.ts', `throw new Error(${JSON.stringify(ATTACK)})`)],
  },
  {
    what: 'a script that logs, throws and judges',
    plant: (cwd) => ['run', '--verbose', '--output', 'run', written(cwd, 's.k6.ts', SCRIPT)],
    exitCode: 1,
  },
  {
    what: 'a client in a hunt',
    plant: (cwd) => [
      ...['hunt', '--max-schedules', '1', '--duration', '3s', '--output', 'run', '--client'],
      `'${process.execPath}' ${written(cwd, 'client.mjs', CLIENT)}`,
    ],
    exitCode: 1,
  },
  {
    what: 'a client that fails',
    plant: (cwd) => [
      ...['hunt', '--max-schedules', '1', '--client'],
      `'${process.execPath}' ${written(cwd, 'client.mjs', `console.error(${JSON.stringify(ATTACK.replaceAll(/[\r\n]/g, ' '))}); process.exit(7)`)}`,
    ],
    exitCode: 3,
  },
  {
    what: 'a target, through k6',
    plant: async (cwd) => [
      'smoke',
      '--verbose',
      '--output',
      'run',
      '--no-load',
      '--rules',
      'wire.body.*',
      '--target',
      profile(cwd, {
        name: ATTACK,
        ...(await hostileServer(JSON.stringify({ error: ATTACK, code: ATTACK }))),
      }),
    ],
    exitCode: 3,
  },
]

const SCRIPT = `
  import { judge, once, scenarioOptions } from './breakwater/scenarios/kit.ts'
  export const options = scenarioOptions({ rules: { 'own.a': 'a thing' }, scenarios: { ...once('main') } })
  const attack = ${JSON.stringify(ATTACK)}
  export async function main() {
    console.error(attack)
    await judge(['own.a'], async (verdict) => verdict.fail('own.a', attack, [attack]))
    throw new Error(attack)
  }`

/** Breaks rules about rooms, frames and numbers, with the text wherever the exchange accepts one. */
const CLIENT = `
  import { WebSocket } from ${JSON.stringify(import.meta.resolve('ws'))}
  const { BREAKWATER_BASE_URL: base, BREAKWATER_WS_URL: ws, BREAKWATER_API_TOKEN: token } = process.env
  const attack = ${JSON.stringify(ATTACK)}
  const request = async (path, headers) => (await fetch(base + path, { headers })).json()
  await request('/explore/pools?limit=1,0&search=' + encodeURIComponent(attack), { 'user-agent': 'planted\\u009b5m ::error::forged' })
  const { data } = await request('/auth/ws-ticket', { authorization: 'Bearer ' + token })
  const socket = new WebSocket(ws + '/ws')
  const send = (frame) => socket.send(JSON.stringify(frame))
  socket.on('open', () => send({ action: 'authenticate', token: data.ticket }))
  socket.once('message', () => {
    send({ action: attack, room: attack })
    send({ action: 'subscribe', room: 'balances:' + attack })
  })
  socket.on('close', () => {})
  setTimeout(() => process.exit(), 1500)`

test.each(CASES)('$what', { timeout: RUN_MS_MAX }, async ({ plant, exitCode = 2 }) => {
  const cwd = temporaryFolder()
  const argv = await plant(cwd)
  const ran = await runCommandLine(argv, {
    cwd,
    env: { ...process.env, FORCE_COLOR: '1', BREAKWATER_CONTROL_TOKEN: 'x' },
  })
  expectClean(ran)
  expect(ran.exitCode).toBe(exitCode)
  const summary = join(cwd, 'run', RUN_FILES.summary)
  if (existsSync(summary)) expectClean({ stdout: readFileSync(summary, 'utf8'), stderr: '' })
  if (argv.includes('--json')) {
    expect(JSON.stringify(JSON.parse(ran.stdout))).toContain(JSON.stringify(ATTACK))
  }
})

/** The output quotes the text, but without control characters, CI runner commands or lines that look like ours. */
function expectClean({ stdout, stderr }: { stdout: string; stderr: string }): void {
  expect(`${stdout}${stderr}`).toContain('planted')
  for (const text of [stdout, stderr]) {
    const uncolored = text.replaceAll(OWN_COLORS, '')
    expect(uncolored).not.toMatch(UNSAFE)
    expect(logCommands(uncolored)).toEqual([])
    expect(uncolored).not.toMatch(/^breakwater: forged/m)
  }
}

const OWN_COLORS = new RegExp(`${'\u001b'}\\[(1|2|22|3[1-6]|39)m`, 'g')

function written(cwd: string, name: string, text: string): string {
  writeFileSync(join(cwd, name), text)
  return name
}

function profile(cwd: string, parts: object): string {
  const whole = { name: 'x', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', ...parts }
  return written(cwd, 'profile.json', JSON.stringify(whole))
}

function buildLoadArgs(target: string): string[] {
  return ['load', '--rate', '1', '--duration', '2s', '--target', target]
}

/** Responds with errors that no library would send: reason and header contain control characters too. */
async function hostileServer(body: string, status = 500): Promise<{ baseUrl: string; wsUrl: string }> {
  const planted = 'planted\u009b5m ::error::forged'
  const head = `HTTP/1.1 ${status} ${planted}\r\nX-Planted: ${planted}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => socket.end(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on a port
  return { baseUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` }
}

/** A run with a failed rule; the text is in every free-text field. */
async function runFolder(cwd: string, name = 'run'): Promise<string> {
  const dir = join(cwd, name)
  const finding = { finding: 1, rule: 'own.planted', verdict: 'fail', scenario: ATTACK, at: 1 } as const
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 2,
    samplesPerSecond: 2,
    series: [{ metric: 'http_req_duration', type: 'trend', tags: { route_group: ATTACK, name: ATTACK } }],
    findings: [{ ...finding, expected: ATTACK, observed: ATTACK, evidence: [ATTACK] }],
    run: {
      id: `synthetic-${name.at(-1)}`,
      rules: ['own.planted', 'own.other'],
      customRules: { 'own.planted': ATTACK, 'own.other': ATTACK },
      waivers: [{ rule: 'own.other', until: '2999-12-31', reason: ATTACK }],
      target: { name: ATTACK, baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', control: false },
      world: ATTACK,
    },
  })
  return dir
}
