/** `npm test`: the TypeScript and Go tests; `npm run test:long`: the `*.long.test.ts` files. The last line has the totals. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GO_ENVIRONMENT, GO_FLAGS } from '../scripts/k6/find-k6.ts'
import { projectPath } from '../scripts/project.ts'
import { countGoTests, countVitest } from './test/count-tests.ts'

const args = process.argv.slice(2)
const isLong = args[0] === '--long'
const dir = mkdtempSync(join(tmpdir(), 'breakwater-test-'))
const report = join(dir, 'vitest.json')

const vitest = await run(
  process.execPath,
  [
    projectPath('node_modules/vitest/vitest.mjs'),
    'run',
    isLong ? '--project=long' : '--project=!long',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args.slice(isLong ? 1 : 0),
  ],
  projectPath('.'),
)
const typescript = countVitest(readIfExists(report))
const go = isLong
  ? { exitCode: 0, output: '' }
  : await run('go', ['test', ...GO_FLAGS, '-json', './...'], projectPath('k6'), 'quiet')
const goTests = countGoTests(go.output)
rmSync(dir, { recursive: true, force: true })

if (go.exitCode !== 0) console.log(goTests.failures.join('\n') || go.output.slice(-4000))
console.log(`TypeScript: ${typescript.passed} passed, ${typescript.failed} failed`)
if (typescript.skipped > 0) {
  console.log(
    `SKIPPED: ${typescript.skipped} tests need something that this machine does not have; see above`,
  )
}
if (!isLong) console.log(`Go: ${goTests.passed} passed, ${goTests.failed} failed`)
// A runner that crashed before it counted its tests has failed too.
const broken =
  Number(vitest.exitCode !== 0 && typescript.failed === 0) + Number(go.exitCode !== 0 && goTests.failed === 0)
const failed = typescript.failed + goTests.failed + broken
console.log(`${typescript.passed + goTests.passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  mode: 'shown' | 'quiet' = 'shown',
): Promise<{ exitCode: number; output: string }> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...GO_ENVIRONMENT },
      stdio: ['ignore', mode === 'shown' ? 'inherit' : 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', (error) => done({ exitCode: 1, output: `${command}: ${error.message}` }))
    child.on('close', (exitCode) => done({ exitCode: exitCode ?? 1, output }))
  })
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
