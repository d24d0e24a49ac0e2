import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { EXIT } from '../../contract/breakwater-error.ts'
import { projectPath } from '../project-path.ts'

const ERROR_LINES_KEPT = 10
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the command line as a process of its own, and tells each line of its output, of both streams, as it comes. A signal to
 * this process is handed on, and the run ends with its report. Answers the exit code, and the last lines of stderr.
 */
export async function runBreakwater(
  argv: readonly string[],
  tell: (line: string) => void,
): Promise<{ exitCode: number; errorLines: readonly string[] }> {
  const command = [projectPath('scripts/breakwater.mjs'), ...argv]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const handOn = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of SIGNALS) process.on(signal, handOn)
  const errorLines: string[] = []
  createInterface({ input: child.stdout }).on('line', tell)
  createInterface({ input: child.stderr }).on('line', (line) => {
    errorLines.push(line)
    if (errorLines.length > ERROR_LINES_KEPT) errorLines.shift()
    tell(line)
  })
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? EXIT.interrupted))
    })
    return { exitCode, errorLines }
  } finally {
    for (const signal of SIGNALS) process.off(signal, handOn)
  }
}
