/** Kills commands at random moments: `npm run nightly -- --only kills`. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../simulator/random.ts'
import { sideBySide } from '../side-by-side.ts'
import {
  type CommandFolder,
  crashesIn,
  type EndedCommand,
  KILLED_COMMANDS,
  makeCommandFolder,
  processesLeft,
  renderingProblems,
  runCommand,
  startCommand,
} from './commands.ts'

const JOBS = 2
const MOMENTS = 200
const GONE_WITHIN_MS = 10_000

/** The next start: any command that creates keys. */
const NEXT = ['smoke', '--no-load', '--rules', 'auth.challenge.shape', '--output', 'next']

type Outcome = { hadRun: boolean; secrets: number; moment: string; problems: readonly string[] }

/** Kills the commands in turn, at `moments` moments in all, and reports problems. Keeps the folder of each problem. */
export async function killAtLength(
  report: (name: string, problem: string | undefined) => void,
  { moments = MOMENTS, seed = 1, only = '' }: { moments?: number; seed?: number; only?: string } = {},
): Promise<void> {
  const needsFolder = mkdtempSync(join(tmpdir(), 'breakwater-endings-'))
  const commands = KILLED_COMMANDS.filter(({ name }) => name.includes(only))
  const usualMs = new Map<EndedCommand, number>()
  await sideBySide(commands, JOBS, async (command) => {
    const run = makeCommandFolder(command, { needsFolder })
    const startMs = performance.now()
    await runCommand(command.argv, run)
    usualMs.set(command, performance.now() - startMs)
    run.finish([])
  })
  const seen = new Map(commands.map((command) => [command, [] as Outcome[]]))
  const numbers = Array.from({ length: commands.length === 0 ? 0 : moments }, (_, number) => number)
  await sideBySide(numbers, JOBS, async (number) => {
    const command = commands[number % commands.length]
    if (command === undefined) return
    const delayMs = Math.round(
      createRandom(seed).stream(`kill ${number}`).float() * (usualMs.get(command) ?? 0),
    )
    const run = makeCommandFolder(command, { needsFolder })
    const outcome = await kill(command, { run, delayMs })
    seen.get(command)?.push({ ...outcome, moment: `${delayMs} ms, ${run.root}` })
    run.finish(outcome.problems)
  })
  rmSync(needsFolder, { recursive: true, force: true })
  for (const [command, outcomes] of seen)
    report(...summarizeOutcomes(command, outcomes, usualMs.get(command) ?? 0))
}

function summarizeOutcomes(
  { name }: EndedCommand,
  outcomes: readonly Outcome[],
  ms: number,
): [string, string | undefined] {
  const wrong = outcomes.filter(({ problems }) => problems.length > 0)
  const runs = outcomes.filter(({ hadRun }) => hadRun).length
  const keys = outcomes.filter(({ secrets }) => secrets > 0).length
  return [
    `${name}, killed at ${outcomes.length} moments of ${(ms / 1000).toFixed(1)} s: a run had started at ${runs}, keys were left at ${keys}`,
    wrong.length === 0
      ? undefined
      : wrong.map(({ moment, problems }) => `\n  at ${moment}: ${problems.join('\n    ')}`).join(''),
  ]
}

async function kill(
  { argv }: EndedCommand,
  { run, delayMs }: { run: CommandFolder; delayMs: number },
): Promise<Omit<Outcome, 'moment'>> {
  const child = startCommand(argv, { folder: run.cwd, env: run.env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  child.kill('SIGKILL')
  await ended
  const killedMs = performance.now()
  const secrets = secretsIn(run.tmp)
  const hadRun = existsSync(join(run.cwd, 'run', 'run.json'))
  // At once, while k6 completes its files, and again when all is quiet.
  const problems = await renderingProblems(run)
  const left = await processesLeft(run.root, GONE_WITHIN_MS - (performance.now() - killedMs))
  problems.push(...left.map((process) => `still runs after 10 s: ${process}`))
  problems.push(...(await renderingProblems(run)))
  const next = await runCommand(NEXT, run)
  if (next.status !== 0) problems.push(`the next start exited with ${next.status}: ${next.stderr.trim()}`)
  problems.push(...crashesIn(next.stderr))
  const kept = readdirSync(run.tmp)
  if (kept.length > 0) problems.push(`left in the temporary folder after the next start: ${kept}`)
  for (const file of filesWith(run.root, secrets)) problems.push(`contains a key or a token: ${file}`)
  return { hadRun, secrets: secrets.length, problems }
}

function secretsIn(tmp: string): string[] {
  const texts = listFiles(tmp).map((file) => readFileSync(file, 'utf8'))
  return [
    ...new Set(
      texts.flatMap((text) =>
        [
          ...text.matchAll(/"(?:privateKey|controlToken)":\s*"([^"]{16,})"|"apiTokens":\s*\[([^\]]*)\]/g),
        ].flatMap(([, one, many]) =>
          one === undefined
            ? [...(many ?? '').matchAll(/"([^"]{16,})"/g)].map(([, token]) => token ?? '')
            : [one],
        ),
      ),
    ),
  ]
}

function filesWith(folder: string, secrets: readonly string[]): string[] {
  return listFiles(folder).filter((file) => {
    const text = readFileSync(file, 'latin1')
    return secrets.some((secret) => text.includes(secret))
  })
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
