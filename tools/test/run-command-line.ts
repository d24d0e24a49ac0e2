import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Report, reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { buildProgram } from '../../scripts/commands/build-program.ts'
import { runCli } from '../../scripts/commands/cli.ts'
import { NO_TERMINAL, type Terminal } from '../../scripts/io.ts'
import { openIo } from '../../scripts/progress/open-io.ts'
import { projectPath } from '../../scripts/project.ts'
import { caseNames } from '../../scripts/repro/load-case.ts'
import { temporaryFolder } from './temporary-folder.ts'

export async function runCommandLine(
  argv: readonly string[],
  options: {
    env?: NodeJS.ProcessEnv
    cwd?: string
    interrupted?: AbortSignal
    terminal?: Terminal
    onStdout?: (line: string) => unknown
    onStderr?: (text: string) => void
  } = {},
): Promise<{ exitCode: number; stdout: string; stderr: string; cwd: string }> {
  const cwd = options.cwd ?? temporaryFolder()
  let stdout = ''
  let stderr = ''
  const exitCode = await runCli({
    argv,
    env: options.env ?? process.env,
    cwd,
    stdout: (line) => {
      stdout += `${line}\n`
      options.onStdout?.(line)
    },
    stderr: (text) => {
      stderr += text
      options.onStderr?.(text)
    },
    terminal: options.terminal ?? NO_TERMINAL,
    interrupted: options.interrupted ?? new AbortController().signal,
  })
  return { exitCode, stdout, stderr, cwd }
}

/** The real command line with commands that do nothing: it only parses, and throws on bad arguments. */
export function acceptingProgram(): Command {
  const io = openIo({
    argv: [],
    env: {},
    cwd: '.',
    stdout: () => {},
    stderr: () => {},
    terminal: NO_TERMINAL,
    interrupted: new AbortController().signal,
  })
  const program = buildProgram(io, () => {})
  for (const command of allCommands(program)) if (command !== program) command.action(() => {})
  return program
}

/** A command and its subcommands, parents first. */
export function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)]
}

/** Cases that take long and have separate tests. */
const LARGE = ['reconnect-storm']

/** The other cases, which many tests run. */
export const TESTED_CASES: readonly string[] = caseNames().filter((name) => !LARGE.includes(name))

export const CASE_MS_MAX = 180_000

export async function runCase(
  name: string,
  options: readonly string[] = [],
): Promise<{ exitCode: number; timeline: string; rules: Report['rules']; failed: string[] }> {
  const { exitCode, stderr, cwd } = await runCommandLine([
    'repro',
    'run',
    name,
    '--output',
    'run',
    ...options,
  ])
  const read = (file: string) =>
    readFile(join(cwd, 'run', file), 'utf8').catch(() => {
      throw new Error(`${name}: the run wrote no ${file}: ${stderr}`)
    })
  const { rules } = reportSchema.parse(JSON.parse(await read(RUN_FILES.reportJson)))
  const failed = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  return { exitCode, timeline: await read(RUN_FILES.timeline), rules, failed }
}

const SECONDS = 4

/** Writes the mix `smoke`, shortened to four seconds, and returns the value for `--mix`. */
export function writeShortMix(folder: string): string {
  const mix = JSON.parse(readFileSync(projectPath('fixtures/mixes/smoke.json'), 'utf8'))
  writeFileSync(join(folder, 'short.json'), JSON.stringify({ ...mix, durationSeconds: SECONDS }))
  return './short.json'
}
