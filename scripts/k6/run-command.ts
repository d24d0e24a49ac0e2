import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type RunCommandOptions = {
  env: NodeJS.ProcessEnv
  cwd?: string
  onLine?: (line: string) => void
}

/** What a command said: its exit code (127 if it could not be started, as a shell has it) and its last lines. */
export type CommandResult = { exitCode: number; lines: string[] }

const LINES_KEPT = 20

/** Runs a command to its end; its standard output and error are read together. Never throws. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { env, cwd, onLine }: RunCommandOptions,
): Promise<CommandResult> {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      onLine?.(line)
      lines.push(line)
      if (lines.length > LINES_KEPT) lines.shift()
    })
  }
  return new Promise((resolve) => {
    child.once('error', () => resolve({ exitCode: 127, lines }))
    child.once('close', (exitCode) => resolve({ exitCode: exitCode ?? 128, lines }))
  })
}
