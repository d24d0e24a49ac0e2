/** Proves, with real processes, that `breakwater capacity` finds a known capacity and recognizes a saturated generator. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { EXIT } from '../../contract/breakwater-error.ts'
import type { Capacity } from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { CONTROL_TOKEN_ENV } from '../../scripts/control-api.ts'
import { projectPath } from '../../scripts/project.ts'

const SERVICE_RATES = [100, 300, 700]
/** Events per second. */
const FAN_OUT_RATE = 1000
/** A room gets about half an event per second. */
const JOINED_FAN_OUT_RATE = 600
const SOCKETS_MAX = 300
const ROUNDS = 3
const SOCKET_ROUNDS = 5
/** For each of two kinds of starvation. */
const STARVED_ROUNDS = 10
const TOLERANCE = 0.1

/** Reports one search, its problem if any, and its result. */
export type ReportResult = (name: string, problem: string | undefined, found: string) => void

type Ended = {
  exitCode: number | null
  capacity: Capacity
  /** The part of the target's own time that grew. */
  part: string | null
  seconds: number
}

type Proof = {
  name: string
  setting: Setting
  rounds: number
  findProblem: (ended: Ended) => string | undefined
}

// A market that hardly varies.
const FEED = ['--world', 'volatile', '--no-rate-limit']

const PROOFS: Proof[] = [
  ...SERVICE_RATES.map((rate) => ({
    name: `a queue that serves ${rate}/s`,
    setting: { up: ['--service-rate', String(rate)] },
    rounds: ROUNDS,
    findProblem: (ended: Ended) => knownRateProblem(ended, { rate, limitedBy: 'target', part: 'queue' }),
  })),
  {
    name: `a feed that sends ${FAN_OUT_RATE} events/s`,
    setting: {
      up: [...FEED, '--fan-out-rate', String(FAN_OUT_RATE)],
      search: ['--axis', 'events', '--to', '200'],
    },
    rounds: SOCKET_ROUNDS,
    findProblem: (ended) => knownEventsProblem(ended, FAN_OUT_RATE),
  },
  {
    name: `a feed that sends ${JOINED_FAN_OUT_RATE} events/s to rooms`,
    setting: {
      up: [...FEED, '--fan-out-rate', String(JOINED_FAN_OUT_RATE)],
      search: ['--axis', 'subscriptions', '--from', '640', '--to', '2560'],
    },
    rounds: ROUNDS,
    findProblem: (ended) => knownEventsProblem(ended, JOINED_FAN_OUT_RATE),
  },
  {
    name: `a feed with at most ${SOCKETS_MAX} sockets`,
    setting: {
      up: ['--max-sockets', String(SOCKETS_MAX), '--no-rate-limit'],
      search: ['--axis', 'sockets', '--to', String(3 * SOCKETS_MAX)],
    },
    rounds: SOCKET_ROUNDS,
    // The metrics of the stub do not show that it refuses sockets.
    findProblem: (ended) => knownRateProblem(ended, { rate: SOCKETS_MAX, limitedBy: 'slo' }),
  },
  {
    name: 'five VUs, and responses of 20 ms',
    setting: { up: ['--faults', 'base-20ms'], search: ['--max-vus', '5'] },
    rounds: STARVED_ROUNDS,
    findProblem: generatorProblem,
  },
]
const STARVED = 'k6 on a shared core'

/** Takes about an hour and a half on an otherwise idle machine. `only`: a text that the names of proofs contain. */
export async function proveCapacity({
  k6,
  report,
  only = '',
}: {
  k6: string
  report: ReportResult
  only?: string
}): Promise<void> {
  for (const proof of PROOFS.filter(({ name }) => name.includes(only))) await inRounds(proof, report)
  if (!STARVED.includes(only)) return
  if (!canPin()) return report(STARVED, undefined, 'skipped: no taskset, or one core')
  await withStarvedK6(k6, (env) => {
    const setting = { env, cores: '1' }
    return inRounds({ name: STARVED, setting, rounds: STARVED_ROUNDS, findProblem: generatorProblem }, report)
  })
}

async function inRounds({ name, setting, rounds, findProblem }: Proof, report: ReportResult): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const ended = await searchOnce(setting)
    const found = `${ended.capacity.statement} (${ended.capacity.trials.length} trials, ${Math.round(ended.seconds)} s)`
    report(`${name}, ${round} of ${rounds}`, findProblem(ended), found)
  }
}

/** `expected.part`: the part of the target's own time that limits it; omitted: it does not show in that time. */
export function knownRateProblem(
  { exitCode, capacity, part }: Ended,
  expected: { rate: number; limitedBy: Capacity['limitedBy']; part?: string },
): string | undefined {
  const { rate, limitedBy } = capacity
  if (exitCode !== 0) return `exit code ${exitCode}; expected 0`
  if (rate === null || Math.abs(rate / expected.rate - 1) > TOLERANCE)
    return `found ${rate}; expected ${expected.rate} ± 10 %`
  if (limitedBy !== expected.limitedBy) return `limited by ${limitedBy}; expected: by ${expected.limitedBy}`
  if (expected.part === undefined || part === expected.part) return undefined
  return `limited by the part ${part}; expected: ${expected.part}`
}

export function knownEventsProblem({ exitCode, capacity }: Ended, fanOutRate: number): string | undefined {
  const { eventsPerSecond, overloadEventsPerSecond } = capacity
  // Near the limit, a market that varies may leave no number of sockets that always passes or always fails.
  if (exitCode !== EXIT.ok && exitCode !== EXIT.inconclusive) return `exit code ${exitCode}; expected 0 or 4`
  if (Math.abs((overloadEventsPerSecond ?? 0) / fanOutRate - 1) > TOLERANCE)
    return `found ${overloadEventsPerSecond} events/s under overload; expected ${fanOutRate} ± 10 %`
  const most = (1 + TOLERANCE) * fanOutRate
  return (eventsPerSecond ?? 0) <= most
    ? undefined
    : `${eventsPerSecond} events/s in time; expected at most ${most}`
}

export function generatorProblem({ exitCode, capacity }: Ended): string | undefined {
  const { rate, limitedBy, statement } = capacity
  if (limitedBy !== 'generator') return `limited by ${limitedBy}; expected: by the generator`
  if (rate !== null) return `found ${rate}; expected no rate`
  if (!statement.startsWith('generator-limited, at least ')) return `unexpected statement: ${statement}`
  return exitCode === 0 ? undefined : `exit code ${exitCode}; expected 0`
}

type Setting = {
  /** More options of `stub`, and of `capacity`. */
  up?: readonly string[]
  search?: readonly string[]
  env?: NodeJS.ProcessEnv
  cores?: string
  /** Follows the stub, which has an observer then, until the search has ended. */
  follow?: (control: { url: string; token: string }) => () => Promise<void>
}

/** Runs the real command once against its own stub; `cores` restricts the command and k6. */
export async function searchOnce({
  up = [],
  search = [],
  env = process.env,
  cores,
  follow,
}: Setting): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-proof-'))
  const profile = join(folder, 'stub.json')
  const ports = ['--port=0', '--feed-port=0', '--control-port=0']
  const token = randomBytes(32).toString('base64url')
  const observer = follow === undefined ? ['--no-observer'] : []
  const stub = start(['stub', ...observer, ...ports, '--profile', profile, ...up], {
    cores,
    env: { ...process.env, [CONTROL_TOKEN_ENV]: token },
  })
  try {
    await introduced(stub)
    const { control: url } = JSON.parse(readFileSync(profile, 'utf8'))
    const unfollow = follow?.({ url, token })
    const startedAtMs = performance.now()
    const command = ['capacity', '--target', profile, '--json', '--output', join(folder, 'run'), ...search]
    const { exitCode, stdout } = await ended(start(command, { cores, env }))
    await unfollow?.()
    const { capacity, bottleneck } = reportSchema.parse(JSON.parse(stdout))
    if (capacity === null) throw new Error('the report of the search has no capacity')
    const { part } = bottleneck
    return { exitCode, capacity, part, seconds: (performance.now() - startedAtMs) / 1000 }
  } finally {
    stub.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

function start(
  args: readonly string[],
  { cores, env }: { cores: string | undefined; env: NodeJS.ProcessEnv },
) {
  const command = [process.execPath, projectPath('scripts/breakwater.mjs'), ...args]
  const [file = '', ...rest] = cores === undefined ? command : ['taskset', '-c', cores, ...command]
  return spawn(file, rest, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The stub serves once it has printed its last line. */
async function introduced(stub: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<void> {
  for await (const line of createInterface({ input: stub.stdout }))
    if (line === 'Press Ctrl-C to stop.') return
  throw new Error('the stub exited before it served')
}

async function ended(
  child: ChildProcess & { stdout: NodeJS.ReadableStream },
): Promise<{ exitCode: number | null; stdout: string }> {
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const [exitCode] = await once(child, 'close')
  return { exitCode, stdout }
}

function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0
}

const HOGS = 4
/** Ends with its parent, however that ends. */
const HOG = 'const parent = process.ppid; while (process.ppid === parent);'

/** A k6 restricted to one core, which other processes keep busy. */
async function withStarvedK6(k6: string, use: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-starved-'))
  const pinned = join(folder, 'k6')
  writeFileSync(pinned, `#!/bin/sh\nexec taskset -c 0 '${k6}' "$@"\n`)
  chmodSync(pinned, 0o755)
  const hogs = Array.from({ length: HOGS }, () =>
    spawn('taskset', ['-c', '0', process.execPath, '-e', HOG], { stdio: 'ignore' }),
  )
  const end = () => {
    for (const hog of hogs) hog.kill('SIGKILL')
  }
  process.once('exit', end)
  try {
    await use({ ...process.env, BREAKWATER_K6: pinned })
  } finally {
    end()
    process.off('exit', end)
    rmSync(folder, { recursive: true, force: true })
  }
}
