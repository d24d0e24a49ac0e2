/** Entry point of the steps of action.yml: one argument names the step. */

import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { k6CacheFolder } from '../k6/find-k6.ts'
import { projectPath } from '../project.ts'
import { annotationLine, runAction, writeOutputs } from './run-action.ts'

const ERROR_LINES_KEPT = 10
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the command line in a child process and passes on each line of its output, of both streams, as it arrives. A signal to
 * this process is forwarded, and the run ends with its report. Returns the exit code and the last lines of stderr.
 */
async function runBreakwater(
  argv: readonly string[],
  log: (line: string) => void,
): Promise<{ exitCode: number; errorLines: readonly string[] }> {
  const command = [projectPath('scripts/breakwater.mjs'), ...argv]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const handOn = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of SIGNALS) process.on(signal, handOn)
  const errorLines: string[] = []
  createInterface({ input: child.stdout }).on('line', log)
  createInterface({ input: child.stderr }).on('line', (line) => {
    errorLines.push(line)
    if (errorLines.length > ERROR_LINES_KEPT) errorLines.shift()
    log(line)
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

const { env } = process
const log = (line: string) => process.stdout.write(`${line}\n`)

const STEPS: Readonly<Record<string, () => Promise<number>>> = {
  /** Outputs the folder that is kept between jobs, and its key; both are empty if the job has a k6 of its own. */
  async cache() {
    const folder = env.BREAKWATER_K6 ? '' : await k6CacheFolder({ env, k6SourceDir: projectPath('k6') })
    writeOutputs({ folder, key: folder && `breakwater-${basename(folder)}` }, env)
    return EXIT.ok
  },
  run: () => runAction({ env, log, run: (argv) => runBreakwater(argv, log) }),
}

const [name = ''] = process.argv.slice(2)
try {
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined
  if (step === undefined)
    throw unknownName(`unknown step ${JSON.stringify(name)}`, { name, names: Object.keys(STEPS) })
  process.exitCode = await step()
} catch (error) {
  if (!(error instanceof BreakwaterError)) throw error
  log(annotationLine({ kind: 'error', title: error.message, message: error.hint ?? '' }))
  process.exitCode = error.exitCode
}
