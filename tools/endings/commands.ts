/** Commands to interrupt or kill, each as short as possible without skipping a step. */
import { execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRun } from '../../reports/run-file.ts'
import { projectPath } from '../../scripts/project.ts'

export type EndedCommand = {
  name: string
  argv: readonly string[]
  /** For a server, which runs until it is interrupted: the time from which to draw the moments. */
  serverMs?: number
  needs: readonly ('scenario' | 'run' | 'profile')[]
}

const OUT = ['--output', 'run']
const SERVER_MS = 3000

const SMOKE = { name: 'smoke', argv: ['smoke', '--no-load', ...OUT], needs: [] }
const LOAD = { name: 'load', argv: ['load', '--rate', '20', '--duration', '3s', ...OUT], needs: [] }
const CAPACITY = {
  name: 'capacity',
  argv: [
    ...['capacity', '--from', '20', '--to', '40', '--trial-duration', '2s', '--max-duration', '15s'],
    ...OUT,
  ],
  needs: [],
}

/** Commands to interrupt. Servers and their clients need a running stub. */
export function interruptedCommands({ control }: StubAround): readonly EndedCommand[] {
  const anyPorts = ['--port', '0', '--feed-port', '0', '--control-port', '0']
  return [
    SMOKE,
    LOAD,
    CAPACITY,
    { name: 'repro run', argv: ['repro', 'run', 'refresh-response-lost', ...OUT], needs: [] },
    { name: 'run', argv: ['run', 'scenario.k6.ts', ...OUT], needs: ['scenario'] },
    { name: 'stub', argv: ['stub', ...anyPorts], serverMs: SERVER_MS, needs: [] },
    { name: 'observe', argv: ['observe', '--control', control], serverMs: SERVER_MS, needs: [] },
    { name: 'faults list', argv: ['faults', 'list', '--control', control], needs: [] },
    {
      name: 'compare --run',
      argv: [
        ...['compare', '--run', 'stub', 'stub', '--repeat', '2', '--rate', '20', '--duration', '2s'],
        ...['--warm-up', '1s', ...OUT],
      ],
      needs: [],
    },
    { name: 'report', argv: ['report', 'run'], needs: ['run'] },
    { name: 'doctor', argv: ['doctor', '--target', 'stub.json'], needs: ['profile'] },
  ]
}

export const KILLED_COMMANDS: readonly EndedCommand[] = [
  { ...SMOKE, argv: ['smoke', ...OUT] },
  CAPACITY,
  LOAD,
]

export const BIN = projectPath('scripts/breakwater.mjs')

export type CommandFolder = {
  root: string
  cwd: string
  tmp: string
  env: NodeJS.ProcessEnv
  /** Removes the folder, or notes the problems in it. */
  finish(problems: readonly string[]): void
}

/** Creates a folder with the files that the command needs, from the folder of `makeNeeds`. */
export function makeCommandFolder(
  { needs }: Pick<EndedCommand, 'needs'>,
  { needsFolder, env = {} }: { needsFolder: string; env?: NodeJS.ProcessEnv },
): CommandFolder {
  const root = mkdtempSync(join(tmpdir(), 'breakwater-ending-'))
  const [cwd, tmp] = [join(root, 'cwd'), join(root, 'tmp')]
  for (const folder of [cwd, tmp]) mkdirSync(folder)
  const copy = (name: string) => cpSync(join(needsFolder, name), join(cwd, name), { recursive: true })
  if (needs.includes('scenario')) {
    copy('scenario.k6.ts')
    symlinkSync(projectPath('.'), join(cwd, 'breakwater'))
  }
  if (needs.includes('run')) copy('run')
  if (needs.includes('profile'))
    for (const name of readdirSync(needsFolder).filter((one) => one.startsWith('stub'))) copy(name)
  return {
    ...{ root, cwd, tmp, env: { ...process.env, ...env, TMPDIR: tmp, TERM: 'xterm' } },
    finish(problems) {
      if (problems.length === 0) rmSync(root, { recursive: true, force: true })
      else writeFileSync(join(root, 'problems.txt'), `${problems.join('\n')}\n`)
    },
  }
}

export async function makeNeeds(folder: string): Promise<void> {
  for (const argv of [
    ['init', 'scenario'],
    ['repro', 'run', 'refresh-response-lost', '--output', 'run'],
  ]) {
    const { status, stderr } = await runCommand(argv, { cwd: folder, env: process.env })
    if (status !== 0) throw new Error(`${argv.join(' ')} exited with ${status}: ${stderr}`)
  }
}

export function startCommand(
  argv: readonly string[],
  {
    folder,
    env = process.env,
    stdio,
  }: { folder: string; env?: NodeJS.ProcessEnv; stdio: SpawnOptions['stdio'] },
) {
  return spawn(process.execPath, [BIN, ...argv], { cwd: folder, env, stdio: stdio ?? 'ignore' })
}

/** Runs the command to its end. The status is null if a signal ended it, such as the one after two minutes. */
export async function runCommand(
  argv: readonly string[],
  { cwd, env }: Pick<CommandFolder, 'cwd' | 'env'>,
): Promise<{ status: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, ...argv],
      { cwd, env, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 },
      (_, __, stderr) => resolve({ status: child.exitCode, stderr }),
    )
  })
}

/** Exit codes of `report` after it rendered a run. */
const RENDERED = [0, 1, 3, 4, 130]

/** Renders each run again, and returns problems. Without run.json, `report` must print one clear error. */
export async function renderingProblems({ cwd, env }: CommandFolder): Promise<string[]> {
  const folders = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('run.json'))
    .map((path) => path.slice(0, -'/run.json'.length))
  const problems: string[] = []
  for (const folder of folders) {
    const isComparison = (await readRun(join(cwd, folder))).job === 'compare'
    const { status, stderr } = await runCommand(['report', folder], { cwd, env })
    const report = join(cwd, folder, 'report.html')
    if (isComparison ? status !== 2 : !RENDERED.includes(status ?? -1) || !existsSync(report))
      problems.push(`report ${folder} exited with ${status}: ${stderr.trim()}`)
    problems.push(...crashesIn(stderr).map((line) => `report ${folder}: ${line}`))
  }
  if (folders.length > 0 || !existsSync(join(cwd, 'run'))) return problems
  const { status, stderr } = await runCommand(['report', 'run'], { cwd, env })
  if (status !== 2 || stderr.match(/^breakwater: /gm)?.length !== 1)
    problems.push(`report of a run that did not start exited with ${status}: ${stderr.trim()}`)
  return [...problems, ...crashesIn(stderr)]
}

/** Lines that only an internal error prints. */
export function crashesIn(text: string): string[] {
  const crash =
    /breakwater: internal error|^\s+at .+[(:/].+:\d+:\d+\)?$|^Node\.js v|Unhandled|EPIPE|ECONNRESET|Warning: /
  return text.split(/\r?\n/).filter((line) => crash.test(line))
}

export type StubAround = {
  control: string
  controlToken: string
  /** Contains stub.json, the profile and the wallets. */
  folder: string
  close(): Promise<void>
}

/** Starts `breakwater stub`, with its profile in `folder`. Rejects if it exits early. */
export async function startStubAround(folder: string): Promise<StubAround> {
  const anyPorts = ['--port', '0', '--feed-port', '0', '--control-port', '0']
  const child = startCommand(['stub', ...anyPorts, '--profile', 'stub.json', '--json'], {
    folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = await Promise.race([
    once(child.stdout ?? child, 'data').then(([chunk]) => String(chunk)),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`stub exited with ${code}`))),
  ])
  const { controlToken } = JSON.parse(printed) as { controlToken: string } // as: the output of --json
  const { control } = JSON.parse(readFileSync(join(folder, 'stub.json'), 'utf8')) as { control: string } // as: its profile
  return {
    control,
    controlToken,
    folder,
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

const POLL_EVERY_MS = 200

/** Waits for the exit of all processes whose command line or environment names the folder; returns the remaining ones. */
export async function processesLeft(folder: string, withinMs: number): Promise<string[]> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const left = listProcesses(folder)
    if (left.length === 0 || performance.now() >= endMs) return left
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
  }
}

/** Command lines; a zombie's command line and environment are empty. */
function listProcesses(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'cmdline').includes(folder) || read(pid, 'environ').includes(folder))
    .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ').trim()}`)
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // exited, or not ours
  }
}
