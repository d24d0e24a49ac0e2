import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type RunCommandOptions = {
  env: NodeJS.ProcessEnv
  cwd?: string
  onLine?: (line: string) => void
  signal?: AbortSignal | undefined
}

/** The exit code is 127 if the command could not be started, as in a shell; `lines` are its last lines. */
export type CommandResult = { exitCode: number; lines: string[] }

const LINES_KEPT = 20

/** Runs a command and merges its standard output and error. Never throws. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { env, cwd, onLine, signal }: RunCommandOptions,
): Promise<CommandResult> {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => child.kill('SIGINT')
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  const lines: string[] = []
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      onLine?.(line)
      lines.push(line)
      if (lines.length > LINES_KEPT) lines.shift()
    })
  }
  try {
    const exitCode = await new Promise<number>((resolve) => {
      child.once('error', () => resolve(127))
      child.once('close', (code) => resolve(code ?? 128))
    })
    return { exitCode, lines }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
