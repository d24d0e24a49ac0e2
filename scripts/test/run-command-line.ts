import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../cli.ts'

/** Runs a command line in this process, in an empty folder of its own, and says what came of it. */
export async function runCommandLine(
  argv: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<{ exitCode: number; stdout: string; stderr: string; cwd: string }> {
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), 'breakwater-test-'))
  let stdout = ''
  let stderr = ''
  const exitCode = await runCli({
    argv,
    env: options.env ?? process.env,
    cwd,
    stdout: (line) => {
      stdout += `${line}\n`
    },
    stderr: (text) => {
      stderr += text
    },
    isTerminal: false,
    interrupted: new AbortController().signal,
  })
  return { exitCode, stdout, stderr, cwd }
}
