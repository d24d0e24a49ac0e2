import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '../../contract/breakwater-error.ts'
import { walletsSchema } from '../../contract/profile.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { runCli } from '../../scripts/cli/cli.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { demoWallets } from '../../simulator/auth/wallets.ts'
import { createRandom } from '../../simulator/random.ts'
import { type Hostility, startHostileServer } from './hostile-server.ts'
import { brokenProbes } from './probe-behind.ts'

/**
 * Runs the command against a server that is no exchange, and says what is wrong with what it makes of that: it ends by
 * itself, holds nothing against it (unless it `mayFail`, as one that answers everything alike may), tells the cause of
 * every verdict that it does not give, and sends nothing to the host that it is redirected to.
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
    let told = ''
    const exitCode = await runCli({
      argv: ['smoke', '--target', 'profile.json', '--no-load', '--rules', rules, '--out', 'run'],
      env: { ...process.env, BREAKWATER_API_TOKENS: 'ss_one-that-the-target-may-not-see-elsewhere' },
      cwd: dir,
      stdout: () => {},
      stderr: (text) => {
        told += text
      },
      terminal: NO_TERMINAL,
      interrupted: new AbortController().signal,
    })
    const report = await readReport(dir)
    return [
      ...(elsewhere.asked() > 0 ? ['a redirect was followed to another host'] : []),
      ...(report
        ? wrongInReport(report, mayFail)
        : wrongWithoutReport({ exitCode, told, address: server.address })),
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

function wrongWithoutReport(run: { exitCode: number; told: string; address: string }): string[] {
  const { exitCode, told, address } = run
  return exitCode === EXIT.environment && told.includes(address) && !told.includes('    at ')
    ? []
    : [`exit code ${exitCode}, told: ${told}`]
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
