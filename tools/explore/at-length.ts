import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ExploreDocument, exploreReportSchema } from '../../contract/explore-report.ts'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import { projectPath } from '../../scripts/project.ts'
import { SEQUENCE_MUTANTS } from '../../simulator/mutants/mutants.ts'
import { createRandom } from '../../simulator/random.ts'
import { startStub } from '../../simulator/stub.ts'
import { startFaultProxy } from '../fault-proxy/fault-proxy.ts'
import { injectErrors, injectFeedErrors } from '../fault-proxy/fault-runs.ts'
import { SAMPLE } from '../proxies/at-length.ts'
import { findProxy, REMEDIES, startBehindProxy } from '../proxies/behind-proxy.ts'
import { sideBySide } from '../side-by-side.ts'

type ReportResult = (name: string, problem: string | undefined) => void

/** Shares of the time. A mutant takes its share only if it is missed; two run side by side. */
const CHOICES_SHARE = 1 / 12
const TARGET_SHARE = 1 / 8
const MUTANT_SHARE = 1 / 12
const JOBS = 2
/** Mutants `sequence-*` that must be found. 35 and 36 of 39 were; seeds differ. */
const FOUND_MIN = 32

/** Errors of requests and sockets through the fault proxy. */
const ERROR_SHARE = 0.05
const RESTARTING = { replicas: 2, gateways: 2, rollingRestartMs: 20_000 }

/**
 * Explores for this long in all, with seeds that no other run had. On a right exchange there must be no finding: a stub with each
 * set of choices, one behind nginx with TLS, one with replicas that restart in turn, and one behind a proxy that injects errors.
 * Most of the mutants `sequence-*` must be found. For `npm run nightly`, which may filter by name.
 */
export async function exploreAtLength(
  report: ReportResult,
  { minutes, only = '' }: { minutes: number; only?: string },
): Promise<void> {
  for (const { name, share, explore } of TRIALS.filter((trial) => trial.name.includes(only))) {
    const seed = randomInt(2 ** 31)
    const budgetMs = minutes * share * 60_000
    const title = `explore ${name}, seed ${seed}`
    report(title, await withFolder((folder) => explore({ folder, seed, budgetMs })).catch(describeError))
  }
  if (FIND_MUTANTS.includes(only)) await findMutants(report, minutes)
}

const FIND_MUTANTS = 'the mutants sequence-*'

type Trial = { folder: string; seed: number; budgetMs: number }

const TRIALS: readonly {
  name: string
  share: number
  explore(trial: Trial): Promise<string | undefined>
}[] = [
  ...CHOICE_SET_NAMES.map((choices) => ({
    name: `choices ${choices}`,
    share: CHOICES_SHARE,
    explore: (trial: Trial) => exploreRight(trial, { argv: ['--choices', choices] }),
  })),
  { name: 'behind nginx', share: TARGET_SHARE, explore: (trial) => exploreBehindNginx(trial, {}) },
  {
    name: 'behind nginx, with replicas that restart in turn',
    share: TARGET_SHARE,
    explore: (trial) => exploreBehindNginx(trial, RESTARTING),
  },
  { name: 'with transient errors', share: TARGET_SHARE, explore: exploreWithErrors },
]

/** Returns the findings, or why there is no result. */
async function exploreRight(
  trial: Trial,
  given: { argv: readonly string[]; env?: NodeJS.ProcessEnv },
): Promise<string | undefined> {
  const { document, output } = await runExplore(trial, given)
  if (document === undefined) return output
  const { sequences, commands, findings, verdict, unjudged, unconfirmed } = document
  console.log(
    `  ${sequences} sequences, ${commands} commands, ${unjudged.length} unjudged, ${unconfirmed.length} unconfirmed`,
  )
  if (findings.length > 0) return findings.map(describeFinding).join('\n')
  return verdict === 'pass' ? undefined : `the verdict is ${verdict}`
}

function describeFinding({ rule, expected, observed, steps }: ExploreDocument['findings'][number]): string {
  const lines = steps.map(({ turn, text, status }) => `  ${turn + 1}. ${text} -> ${status}`)
  return [`${rule}: expected ${expected}, observed ${observed}`, ...lines].join('\n')
}

async function exploreBehindNginx(
  trial: Trial,
  deployment: NonNullable<Parameters<typeof startBehindProxy>[0]['deployment']>,
): Promise<string | undefined> {
  const { folder } = trial
  const binary = findProxy('nginx', process.env)
  if (binary === undefined) return `nginx was not found. ${REMEDIES.nginx}`
  const behind = await startBehindProxy({ setUp: SAMPLE, proxy: 'nginx', binary, folder, deployment })
  try {
    return await exploreRight(trial, { argv: TARGET, env: behind.env })
  } finally {
    await behind.close()
  }
}

const TARGET = ['--target', 'profile.json']

async function exploreWithErrors(trial: Trial): Promise<string | undefined> {
  const { folder, seed } = trial
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real' })
  const random = createRandom(seed).stream('errors')
  let injected = 0
  const faults = { random, share: ERROR_SHARE, onError: () => void injected++ }
  const { baseUrl: rest, wsUrl: feed, credentials } = stub.profile
  const changes = { changeRest: injectErrors(faults), changeFeed: injectFeedErrors(faults) }
  const proxy = await startFaultProxy({ rest, feed, ...changes })
  try {
    const { baseUrl, wsUrl } = proxy
    const named = { ...credentials, wallets: 'wallets.json' }
    const profile = { ...stub.profile, baseUrl, wsUrl, credentials: named }
    await writeFile(join(folder, 'profile.json'), JSON.stringify(profile))
    await writeFile(join(folder, 'wallets.json'), JSON.stringify(stub.wallets), { mode: 0o600 })
    const problem = await exploreRight(trial, { argv: TARGET })
    return problem ?? (injected > 0 ? undefined : 'no error was injected')
  } finally {
    await proxy.close()
    await stub.close()
  }
}

/** Prints a line for each mutant and reports them together, because some may be missed. */
async function findMutants(report: ReportResult, minutes: number): Promise<void> {
  const budgetMs = minutes * MUTANT_SHARE * 60_000
  const missed: string[] = []
  await sideBySide(SEQUENCE_MUTANTS, JOBS, async ({ name }) => {
    const seed = randomInt(2 ** 31)
    const trial = (folder: string) =>
      runExplore({ folder, seed, budgetMs }, { argv: ['--mutant', name, '--max-findings', '1'] })
    const { document } = await withFolder(trial).catch(() => ({ document: undefined }))
    const lengths = document?.findings.map(({ length }) => length) ?? []
    if (lengths.length === 0) missed.push(name)
    const found = lengths.length > 0 ? `found with ${Math.min(...lengths)} commands` : 'not found'
    console.log(`  ${name}: ${found}, seed ${seed}`)
  })
  const found = SEQUENCE_MUTANTS.length - missed.length
  const title = `explore finds ${found} of ${SEQUENCE_MUTANTS.length} mutants`
  report(title, found >= FOUND_MIN ? undefined : `not found: ${missed.join(', ')}`)
}

async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-explore-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function runExplore(
  { folder, seed, budgetMs }: Trial,
  { argv, env = process.env }: { argv: readonly string[]; env?: NodeJS.ProcessEnv },
): Promise<{ document?: ExploreDocument; output: string }> {
  const budget = `${Math.max(1, Math.round(budgetMs / 1000))}s`
  const own = ['explore', '--seed', String(seed), '--budget', budget, '--output', 'ran', ...argv]
  const command = [projectPath('scripts/breakwater.mjs'), ...own]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout: string; stderr: string }) => error)
  const output = `${stdout}${stderr}`.slice(-4000)
  const text = await readFile(join(folder, 'ran', 'explore.json'), 'utf8').catch(() => undefined)
  return text === undefined ? { output } : { document: exploreReportSchema.parse(JSON.parse(text)), output }
}
