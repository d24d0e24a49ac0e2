/** `npm run clients`: prepares what the tests of real clients need and prints its path. Exits with 3 if anything is missing. */
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { botPython } from './clients/python-environment.ts'
import { findLinters } from './lint/find-linters.ts'
import { findProxy, REMEDIES } from './proxies/behind-proxy.ts'
import { CHROMIUM_REMEDY, findChromium, findPrometheus, PROMETHEUS_REMEDY } from './test/programs.ts'
import { toolArguments } from './tool-arguments.ts'

toolArguments('clients', { options: {} })
const chromium = findChromium(process.env)
if (chromium === undefined) fail(`clients: Chromium was not found\n  ${CHROMIUM_REMEDY}`)
else console.log(`chromium   ${chromium}`)

const prometheus = findPrometheus(process.env)
if (prometheus === undefined) fail(`clients: Prometheus was not found\n  ${PROMETHEUS_REMEDY}`)
else console.log(`prometheus ${prometheus}`)

const nginx = findProxy('nginx', process.env)
if (nginx === undefined) fail(`clients: nginx was not found\n  ${REMEDIES.nginx}`)
else console.log(`nginx      ${nginx}`)

try {
  for (const [name, path] of Object.entries(
    await findLinters({ env: process.env, onProgress: console.error }),
  ))
    console.log(`${name.padEnd(10)} ${path}`)
  const python = await botPython({ env: process.env, onProgress: console.error })
  console.log(`python     ${python}`)
} catch (error) {
  if (!(error instanceof BreakwaterError)) throw error
  fail(`clients: ${error.message}\n  ${error.hint}`)
}

function fail(text: string): void {
  console.error(text)
  process.exitCode = EXIT.environment
}
