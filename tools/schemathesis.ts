/**
 * `npm run schemathesis`: Schemathesis against the stub, about a minute, always the same; `-- --long` for longer, with another
 * seed each day. Without Python, prints that it was skipped and exits with 0.
 */
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { schemathesisPython } from './clients/python-environment.ts'
import { runSchemathesis, type SchemathesisRun } from './schemathesis/run-schemathesis.ts'
import { toolArguments } from './tool-arguments.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const long = { examplesMax: 400, seed: Math.floor(Date.now() / DAY_MS) }
const short = { examplesMax: 20, seed: 1 }

const SHORT: readonly SchemathesisRun[] = [
  { choices: 'default', by: 'token', ...short },
  { choices: 'default', by: 'session', ...short },
]
const LONG: readonly SchemathesisRun[] = [
  { choices: 'default', by: 'token', ...long },
  { choices: 'default', by: 'session', ...long },
  { choices: 'alternative', by: 'token', ...long },
  { choices: 'alternative', by: 'session', ...long },
  { choices: 'replicated', by: 'token', ...long },
]

const { values } = toolArguments('schemathesis', { options: { long: { type: 'boolean' } } })
const python = await schemathesisPython({ env: process.env, onProgress: console.error }).catch(
  (error: unknown) => {
    if (!(error instanceof BreakwaterError)) throw error
    console.error(`\n!!! SKIPPED: Schemathesis did not run. ${error.message}\n    ${error.hint}\n`)
    return undefined
  },
)
for (const run of python === undefined ? [] : values.long ? LONG : SHORT) {
  console.log(`\n== Schemathesis: choices ${run.choices}, by ${run.by}`)
  const { passed } = await runSchemathesis(run, { python: python ?? '', onLine: console.log })
  if (!passed) process.exitCode = 1
}
