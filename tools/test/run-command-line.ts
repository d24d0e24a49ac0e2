import { runCli } from '../../scripts/cli/cli.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Runs a command line in this process, in an empty folder of its own, and says what came of it. */
export async function runCommandLine(
  argv: readonly string[],
  options: {
    env?: NodeJS.ProcessEnv
    cwd?: string
    interrupted?: AbortSignal
    onStdout?: (line: string) => void
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
    terminal: NO_TERMINAL,
    interrupted: options.interrupted ?? new AbortController().signal,
  })
  return { exitCode, stdout, stderr, cwd }
}
