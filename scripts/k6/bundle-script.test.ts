import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectPath } from '../project.ts'
import { bundleScript } from './bundle-script.ts'
import { findK6 } from './find-k6.ts'
import { k6Env } from './k6-args.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'breakwater-bundle-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the bundle of smoke is one file without the catalogue of rules, and imports only what our k6 provides', async () => {
  const { file, sources } = await bundleScript({ script: projectPath('scenarios/smoke.k6.ts'), folder })
  const imported = readFileSync(file, 'utf8').matchAll(/^import .* from "([^"]+)"/gm)
  expect([...new Set([...imported].map(([, name]) => name))].toSorted()).toEqual([
    'k6',
    'k6/data',
    'k6/execution',
    'k6/http',
    'k6/metrics',
    'k6/timers',
    'k6/websockets',
    'k6/x/breakwater',
    'k6/x/breakwater/bounds',
    'k6/x/breakwater/history',
  ])
  expect(sources).toContain(projectPath('scenarios/lib/config.ts'))
  expect(sources).not.toContain(projectPath('contract/rules.ts'))
})

const k6 = await findK6({
  env: { ...process.env, PATH: '' },
  k6SourceDir: projectPath('k6'),
  onProgress: () => {},
}).catch(() => '')

test.runIf(k6)('k6 reports errors with the line of the source', async () => {
  writeFileSync(join(folder, 'broken.ts'), "\n\nthrow new Error('here')\nexport const one = 1\n")
  writeFileSync(join(folder, 'entry.k6.ts'), "import { one } from './broken.ts'\nexport default () => one\n")
  const { file } = await bundleScript({ script: join(folder, 'entry.k6.ts'), folder })
  const said = await new Promise<string>((resolve) => {
    execFile(k6, ['inspect', file], { env: k6Env(process.env) }, (_, _stdout, stderr) => resolve(stderr))
  })
  expect(said).toMatch(/Error: here.*broken\.ts:3/s)
})
