import { spawnSync } from 'node:child_process'
import { expect, test as vitestTest } from 'vitest'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { projectPath } from '../../scripts/project.ts'
import { schemathesisPython } from '../clients/python-environment.ts'
import { foundOrSkipped } from '../test/programs.ts'
import { runSchemathesis, type SchemathesisRun } from './run-schemathesis.ts'

const environment = await schemathesisPython({ env: process.env, onProgress: console.error }).catch(
  (error: unknown) => {
    if (error instanceof BreakwaterError) return error
    throw error
  },
)
const isReady = typeof environment === 'string'
const python = foundOrSkipped(isReady ? environment : undefined, {
  what: 'Python with Schemathesis',
  remedy: isReady ? '' : `${environment.message}\n${environment.hint}`,
  env: process.env,
  tell: console.error,
})
const test = vitestTest.runIf(python)

const POOLS: SchemathesisRun = { choices: 'default', by: 'token', seed: 1, examplesMax: 3, paths: '^/pools$' }

async function run(options: SchemathesisRun): Promise<{ passed: boolean; said: string }> {
  const lines: string[] = []
  const { passed } = await runSchemathesis(options, {
    python: python ?? '',
    onLine: (line) => lines.push(line),
  })
  return { passed, said: lines.join('\n') }
}

test('the stub passes, and a mutant that violates its OpenAPI document fails', {
  timeout: 60_000,
}, async () => {
  const sound = await run(POOLS)
  expect(sound.said).toContain('Operations:       1 selected')
  expect(sound.passed).toBe(true)
  const broken = await run({ ...POOLS, mutant: 'wire-fee-number' })
  expect(broken.said).toContain('Response violates schema')
  expect(broken.passed).toBe(false)
})

test('a browser’s session covers operations that an API token cannot', { timeout: 60_000 }, async () => {
  const tokens = { ...POOLS, paths: '^/api-tokens$' }
  expect((await run(tokens)).said).toContain('2 operations returned only 401/403')
  const bySession = await run({ ...tokens, by: 'session' })
  expect(bySession.said).not.toContain('returned only 401/403')
  expect(bySession.passed).toBe(true)
})

vitestTest('without Python, the command prints that it was skipped', () => {
  const env = { ...process.env, BREAKWATER_PYTHON: '/nowhere/python' }
  const args = ['--import', './tools/typescript.mjs', projectPath('tools/schemathesis.ts')]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  expect(stderr).toMatch(/^\n!!! SKIPPED: Schemathesis did not run\. Python .* is missing/)
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})
