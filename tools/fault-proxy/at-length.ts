import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { EXIT } from '../../contract/breakwater-error.ts'
import { choicesSchema, walletsSchema } from '../../contract/profile.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { runCli } from '../../scripts/commands/cli.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { demoWallets } from '../../simulator/auth/wallets.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { createRandom } from '../../simulator/random.ts'
import { sideBySide } from '../side-by-side.ts'
import type { Upgrade } from './fault-proxy.ts'
import {
  POOR_CREDENTIALS,
  runInOutage,
  runOnHostileFeed,
  runWithPersistentError,
  runWithStrangeResponses,
  runWithTarget,
  runWithTransientErrors,
  withoutChoices,
} from './fault-runs.ts'
import {
  EMPTY_RESPONSES,
  HOSTILITIES,
  type Hostility,
  holdsClose,
  SILENCE,
  startHostileServer,
} from './hostile-server.ts'
import { OUTAGES, PERSISTENT_ERRORS } from './persistent-errors.ts'
import { brokenProbes, nullableChoices } from './probe-behind.ts'

const SEEDS = [1, 2, 3, 4, 5]
const SHARE = 0.15
const JOBS = 4

type Case = { name: string; run: () => Promise<string[]> }

/**
 * Runs against every hostile server, transient errors and strange responses with several seeds, persistent errors, outages, and a
 * profile without each of its optional choices. Reports the problems of each. For `npm run nightly`, which may filter cases by
 * name.
 */
export async function injectFaultsAtLength(
  report: (name: string, problem: string | undefined) => void,
  chosen = '',
): Promise<void> {
  const cases = allCases().filter((one) => one.name.includes(chosen))
  // Mostly waiting, so they run in parallel.
  await sideBySide(cases, JOBS, async ({ name, run }) => {
    const wrong = await run().catch((error: unknown) => [
      error instanceof Error ? error.message : String(error),
    ])
    report(name, wrong.length === 0 ? undefined : wrong.join('\n'))
  })
}

function allCases(): Case[] {
  const sets = Object.keys(CHOICE_SETS) as ChoiceSetName[] // as: its keys are the names
  const hostile = (name: string, hostility: Hostility, mayFail: boolean): Case => ({
    name: `a server of ${name}`,
    run: () => runAgainstHostile(hostility, { mayFail }),
  })
  const everyChoice = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })
  return [
    ...Object.entries(HOSTILITIES).map(([name, hostility]) => hostile(name, hostility, false)),
    ...Object.entries(EMPTY_RESPONSES).map(([name, hostility]) => hostile(name, hostility, true)),
    hostile('silence', SILENCE, false),
    ...Object.entries(HOSTILE_FEEDS).map(([name, changeFeed]) => ({
      name: `a gateway that ${name}`,
      run: () => runOnHostileFeed(changeFeed),
    })),
    ...sets.flatMap((choices) =>
      SEEDS.flatMap((seed) => [
        {
          name: `transient errors, choices ${choices}, seed ${seed}`,
          run: () => runWithTransientErrors({ choices, seed, share: SHARE }),
        },
        {
          name: `strange responses, choices ${choices}, seed ${seed}`,
          run: () => runWithStrangeResponses({ choices, seed, share: SHARE }),
        },
      ]),
    ),
    ...sets.flatMap((choices) => [
      ...Object.entries(PERSISTENT_ERRORS)
        .filter(([, error]) => error.choices?.includes(choices) ?? true)
        .map(([name, error]) => ({
          name: `persistent error: ${name}, choices ${choices}`,
          run: () => runWithPersistentError(error, { choices }),
        })),
      ...Object.entries(OUTAGES).map(([name, outage]) => ({
        name: `outage: ${name}, choices ${choices}`,
        run: () => runInOutage(outage, { choices }),
      })),
    ]),
    ...sets.flatMap((choices) =>
      Object.entries(POOR_CREDENTIALS).map(([name, change]) => ({
        name: `${name}, choices ${choices}`,
        run: () => runWithTarget({ choices, change }),
      })),
    ),
    ...sets.map((choices) => ({
      name: `a profile without optional choices, choices ${choices}`,
      run: () => runWithTarget({ choices, change: withoutChoices(nullableChoices(everyChoice)) }),
    })),
    ...sets.flatMap((choices) =>
      nullableChoices(everyChoice).map((path) => ({
        name: `a profile without ${path}, choices ${choices}`,
        run: () => runWithTarget({ choices, change: withoutChoices([path]) }),
      })),
    ),
  ]
}

type HostileFeed = (upgrade: Upgrade) => void

const RESTARTED = Buffer.from([0x88, 0x02, 1012 >> 8, 1012 & 0xff])
const BINARY = Buffer.from([0x82, 0x04, 0, 1, 2, 255])

export const HOSTILE_FEEDS = {
  'refuses every handshake': ({ client }) =>
    client.end('HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<br>'),
  'redirects the handshake': ({ client }) =>
    client.end('HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
  'drops the connection': ({ client }) => client.destroy(),
  'accepts the handshake for another key': ({ client }) =>
    client.end(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n',
    ),
  'restarts repeatedly': (upgrade) => accept(upgrade).end(RESTARTED),
  'hangs up at once': (upgrade) => {
    const client = accept(upgrade)
    setImmediate(() => client.destroy())
  },
  'sends an invalid frame': (upgrade) => {
    accept(upgrade).write('220 smtp.example ESMTP ready\r\n'.repeat(20))
  },
  'sends binary frames': (upgrade) => {
    const client = accept(upgrade)
    client.on('data', (chunk: Buffer) => (holdsClose(chunk) ? client.destroy() : client.write(BINARY)))
  },
  'says nothing': (upgrade) => {
    const client = accept(upgrade)
    client.on('data', (chunk: Buffer) => (holdsClose(chunk) ? client.destroy() : undefined))
  },
} satisfies Record<string, HostileFeed>

/** https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
function accept({ client, request }: Upgrade): Duplex {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const response = createHash('sha1').update(key).digest('base64')
  client.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${response}\r\n\r\n`,
  )
  return client
}

/**
 * Runs the command against a server that is not an exchange, and returns problems: the command must end by itself, fail no rule
 * (unless `mayFail`, for servers that respond alike to everything), give a reason for every missing verdict, and send nothing to
 * the host of a redirect.
 */
export async function runAgainstHostile(
  hostility: Hostility,
  { mayFail = false, rules = '*' }: { mayFail?: boolean; rules?: string } = {},
): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-hostile-'))
  const elsewhere = await startHostileServer((_, response) => void response.end('{}'))
  const server = await startHostileServer(hostility, `http://${elsewhere.address}`)
  try {
    await writeProfile(dir, server.address)
    let output = ''
    const exitCode = await runCli({
      argv: ['smoke', '--target', 'profile.json', '--no-load', '--rules', rules, '--output', 'run'],
      env: { ...process.env, BREAKWATER_API_TOKENS: 'ss_one-that-the-target-may-not-see-elsewhere' },
      cwd: dir,
      stdout: () => {},
      stderr: (text) => {
        output += text
      },
      terminal: NO_TERMINAL,
      interrupted: new AbortController().signal,
    })
    const report = await readReport(dir)
    return [
      ...(elsewhere.requests() > 0 ? ['a redirect was followed to another host'] : []),
      ...(report
        ? wrongInReport(report, mayFail)
        : wrongWithoutReport({ exitCode, output, address: server.address })),
    ]
  } finally {
    await Promise.all([server.close(), elsewhere.close()])
    await rm(dir, { recursive: true, force: true })
  }
}

function wrongInReport({ rules, exitCode }: Report, mayFail: boolean): string[] {
  const failed = rules
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, observed }) => `fail ${id}: ${observed}`)
  const uncaused = rules.filter(
    ({ verdict, reason }) => verdict === 'inconclusive' && (reason ?? '').length < 10,
  )
  const unsaid = rules.filter(({ reason }) => reason?.startsWith('no finding'))
  return [
    ...(mayFail ? [] : failed),
    ...brokenProbes(rules),
    ...[...uncaused, ...unsaid].map(({ id, reason }) => `${id}: no cause: ${reason}`),
    ...(mayFail || exitCode === EXIT.environment ? [] : [`exit code ${exitCode}`]),
  ]
}

function wrongWithoutReport(run: { exitCode: number; output: string; address: string }): string[] {
  const { exitCode, output, address } = run
  return exitCode === EXIT.environment && output.includes(address) && !output.includes('    at ')
    ? []
    : [`exit code ${exitCode}, output: ${output}`]
}

async function readReport(dir: string): Promise<Report | undefined> {
  const text = await readFile(join(dir, 'run', 'report.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : reportSchema.parse(JSON.parse(text))
}

async function writeProfile(dir: string, address: string): Promise<void> {
  const wallets = demoWallets({ random: createRandom(1), count: 22 })
  const shown = wallets.map(({ address, privateKeyJwk, hasAccess, admin }) => ({
    address,
    privateKeyJwk,
    hasAccess,
    admin,
  }))
  await writeFile(join(dir, 'wallets.json'), JSON.stringify(walletsSchema.parse(shown)), { mode: 0o600 })
  const profile = {
    name: 'hostile',
    baseUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    credentials: { wallets: 'wallets.json' },
  }
  await writeFile(join(dir, 'profile.json'), JSON.stringify(profile))
}
