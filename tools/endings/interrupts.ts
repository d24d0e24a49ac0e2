/** Types Ctrl-C at random moments of each command, on a busy machine: `npm run nightly -- --only interrupts`. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectPath } from '../../scripts/project.ts'
import { createRandom } from '../../simulator/random.ts'
import { sideBySide } from '../side-by-side.ts'
import {
  BIN,
  type CommandFolder,
  crashesIn,
  type EndedCommand,
  interruptedCommands,
  makeCommandFolder,
  makeNeeds,
  processesLeft,
  renderingProblems,
  type StubAround,
  startStubAround,
} from './commands.ts'

const JOBS = 2
const MOMENTS = 100
const MINUTES_MAX = 90
const SECONDS_MAX = 120
const GONE_WITHIN_MS = 10_000
/** A command that ends by itself later than this has ignored the interrupt. */
const HEARD_WITHIN_MS = 2000

type Ended = { output: string; typedMs: number | null; endedMs: number; status: number | null }
/** How a command ended: interrupted, by itself, or before Node.js ran any of its code. */
type Outcome = { how: 'interrupted' | 'by itself' | 'before its code'; problems: readonly string[] }

/** Interrupts the commands in turn for up to one and a half hours, and reports problems. Keeps the folder of each problem. */
export async function interruptAtLength(
  report: (name: string, problem: string | undefined) => void,
  { moments = MOMENTS, seed = 1, only = '' }: { moments?: number; seed?: number; only?: string } = {},
): Promise<void> {
  const needsFolder = mkdtempSync(join(tmpdir(), 'breakwater-endings-'))
  await makeNeeds(needsFolder)
  const stub = await startStubAround(needsFolder)
  try {
    await onBusyMachine(async () => {
      const commands = interruptedCommands(stub).filter(({ name }) => name.includes(only))
      const usual = new Map<EndedCommand, Ended>()
      // Uninterrupted first, with the same parallelism.
      await sideBySide(commands, JOBS, async (command) => {
        const run = makeCommandFolder(command, { needsFolder, env: buildEnv(stub) })
        usual.set(command, await runInTerminal(command, { run, delayMs: command.serverMs ?? null }))
        run.finish([])
      })
      const seen = new Map(commands.map((command) => [command, [] as (Outcome & { moment: string })[]]))
      const endMs = performance.now() + MINUTES_MAX * 60_000
      const runs = Array.from({ length: moments }, (_, round) => round).flatMap((round) =>
        commands.map((command) => ({ command, round })),
      )
      await sideBySide(runs, JOBS, async ({ command, round }) => {
        const own = usual.get(command)
        if (own === undefined || performance.now() > endMs) return
        const share = createRandom(seed).stream(`${command.name} ${round}`).float()
        const delayMs = Math.round(share * (command.serverMs ?? own.endedMs))
        const run = makeCommandFolder(command, { needsFolder, env: buildEnv(stub) })
        const outcome = await interrupt(command, { run, delayMs, usual: own })
        seen.get(command)?.push({ ...outcome, moment: `${delayMs} ms, ${run.root}` })
        run.finish(outcome.problems)
      })
      for (const [command, outcomes] of seen)
        report(...summarizeOutcomes(command, outcomes, usual.get(command)))
    })
  } finally {
    await stub.close()
    rmSync(needsFolder, { recursive: true, force: true })
  }
}

function summarizeOutcomes(
  { name }: EndedCommand,
  outcomes: readonly (Outcome & { moment: string })[],
  usual: Ended | undefined,
): [string, string | undefined] {
  const count = (how: Outcome['how']) => outcomes.filter((one) => one.how === how).length
  const wrong = outcomes.filter(({ problems }) => problems.length > 0)
  return [
    `${name}, ${outcomes.length} moments of ${((usual?.endedMs ?? 0) / 1000).toFixed(1)} s: ${count('interrupted')} interrupted, ` +
      `${count('by itself')} ended first, ${count('before its code')} before its code ran`,
    outcomes.length === 0
      ? 'was not run'
      : wrong.length === 0
        ? undefined
        : wrong.map(({ moment, problems }) => `\n  at ${moment}: ${problems.join('\n    ')}`).join(''),
  ]
}

function buildEnv({ controlToken }: StubAround): NodeJS.ProcessEnv {
  return { BREAKWATER_CONTROL_TOKEN: controlToken }
}

async function interrupt(
  command: EndedCommand,
  { run, delayMs, usual }: { run: CommandFolder; delayMs: number; usual: Ended },
): Promise<Outcome> {
  const ended = await runInTerminal(command, { run, delayMs })
  writeFileSync(join(run.root, 'ended.json'), JSON.stringify(ended, null, 2))
  const how = classifyEnd(ended, { command, usual })
  const problems = [...endProblems(ended, { how, command, usual }), ...crashesIn(ended.output)]
  // An interrupted run must have its report already.
  if (existsSync(join(run.cwd, 'run')) && how !== 'by itself')
    for (const missing of withoutReport(join(run.cwd, 'run'))) problems.push(`no report: ${missing}`)
  problems.push(...(await renderingProblems(run)))
  const left = await processesLeft(run.root, GONE_WITHIN_MS)
  problems.push(...left.map((process) => `still runs: ${process}`))
  const kept = readdirSync(run.tmp)
  if (kept.length > 0 && how !== 'before its code') problems.push(`left in the temporary folder: ${kept}`)
  return { how, problems }
}

function classifyEnd(
  { output, typedMs, endedMs, status }: Ended,
  { command, usual }: { command: EndedCommand; usual: Ended },
): Outcome['how'] {
  if (typedMs === null) return 'by itself'
  if (status === -2 && output.replace('^C', '').trim() === '') return 'before its code'
  // Its last lines may already be in transit, or Node.js may have begun to end, which it does without our listeners.
  const isWhole = status === -2 && output.replaceAll('^C', '') === usual.output
  const isAsUsual = status === usual.status || isWhole
  // It had already written everything: on a busy machine, Node.js takes seconds to end.
  const isSilent = output.endsWith('^C')
  const wasDone = isAsUsual && messagesIn(output) === 0 && (isSilent || endedMs - typedMs < HEARD_WITHIN_MS)
  return wasDone && command.serverMs === undefined ? 'by itself' : 'interrupted'
}

function endProblems(
  { output, status }: Ended,
  { how, command, usual }: { how: Outcome['how']; command: EndedCommand; usual: Ended },
): string[] {
  if (status === null) return [`did not exit within ${SECONDS_MAX} s`]
  if (how === 'before its code') return []
  if (how === 'by itself')
    return status === usual.status || status === -2 ? [] : [`exit code ${status}, not ${usual.status}`]
  // A server that served exits as usual. A shell shows 130 for the signal too.
  const codes = [130, -2, ...(command.serverMs === undefined ? [] : [usual.status])]
  const served = command.serverMs !== undefined && status === usual.status
  const messages = messagesIn(output)
  const isOne = messages === 1 || (served && messages === 0)
  return [
    ...(codes.includes(status) ? [] : [`exit code ${status}, not 130`]),
    ...(isOne ? [] : [`${messages} messages about the interrupt`]),
  ]
}

/** Counts lines that report the interrupt, except a report's verdict. */
function messagesIn(output: string): number {
  return output.match(/interrupted: writing|breakwater: [^\r\n]*interrupted/g)?.length ?? 0
}

function withoutReport(folder: string): string[] {
  const runs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)run\.json$/.test(path),
  )
  if (runs.length === 0) return ['a folder without run.json']
  const reports = ['report.html', 'comparison.html']
  return runs
    .map((path) => join(folder, path, '..'))
    .filter((dir) => !reports.some((name) => existsSync(join(dir, name))))
}

async function runInTerminal(
  { argv }: EndedCommand,
  { run, delayMs }: { run: CommandFolder; delayMs: number | null },
): Promise<Ended> {
  const terminal = [projectPath('tools/endings/in-terminal.py'), String(delayMs ?? ''), String(SECONDS_MAX)]
  return new Promise((resolve, reject) => {
    execFile(
      'python3',
      [...terminal, process.execPath, BIN, ...argv],
      { cwd: run.cwd, env: run.env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(stderr))
        else resolve({ output: stdout, ...JSON.parse(stderr.trim().split('\n').at(-1) ?? '') })
      },
    )
  })
}

const LOOPS = 2

async function onBusyMachine<T>(work: () => Promise<T>): Promise<T> {
  const loops = Array.from({ length: LOOPS }, () =>
    // The loops end by themselves if this process is killed.
    spawn(
      process.execPath,
      ['-e', 'const { ppid } = process; while (process.ppid === ppid) for (let i = 0; i < 1e8; i++);'],
      {
        stdio: 'ignore',
      },
    ),
  )
  try {
    return await work()
  } finally {
    await Promise.all(
      loops.map(async (loop) => {
        const ended = once(loop, 'exit')
        loop.kill('SIGKILL')
        await ended
      }),
    )
  }
}
