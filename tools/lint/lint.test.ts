import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { sourceFiles } from '../repo-checks/source-files.ts'
import { foundOrSkipped } from '../test/programs.ts'
import { findLinters } from './find-linters.ts'

const folder = mkdtempSync(join(tmpdir(), 'breakwater-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let why = ''
const linters = foundOrSkipped(
  await findLinters({ env: process.env, onProgress: console.error }).catch((error: Error) => {
    why = error.message
    return undefined
  }),
  { what: 'the linters', remedy: why, env: process.env, tell: console.error },
)
const there = linters ?? { shellcheck: '', hadolint: '', actionlint: '' }

function run(program: string, args: readonly string[], cwd = projectPath('.')) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

const clean = { status: 0, output: '' }
const shells = sourceFiles(['.sh', '.ci/run']).map(({ path }) => path)
const workflows = readdirSync(projectPath('examples/github'))

test.runIf(linters)('shellcheck finds nothing in any shell script', () => {
  expect(shells).toContain('.ci/run')
  expect(run(there.shellcheck, ['--severity=style', ...shells])).toEqual(clean)
})

test.runIf(linters)('hadolint finds nothing in the Dockerfile', () => {
  expect(run(there.hadolint, ['--no-color', '--failure-threshold', 'style', 'Dockerfile'])).toEqual(clean)
})

function repository(name: string, texts: Record<string, string>): string {
  const root = join(folder, name)
  mkdirSync(join(root, '.github/workflows'), { recursive: true })
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, 'action.yml'), readFileSync(projectPath('action.yml')))
  for (const [file, text] of Object.entries(texts)) {
    writeFileSync(
      join(root, '.github/workflows', file),
      text.replaceAll(/uses: example-org\/breakwater@.*/g, 'uses: ./'),
    )
  }
  return root
}

const lintWorkflows = (root: string) =>
  run(there.actionlint, ['-no-color', '-shellcheck', there.shellcheck], root)
const workflowText = (file: string) => readFileSync(projectPath(`examples/github/${file}`), 'utf8')

test.runIf(linters)('actionlint finds nothing in the workflows and their use of the action', () => {
  const root = repository('good', Object.fromEntries(workflows.map((file) => [file, workflowText(file)])))
  expect(lintWorkflows(root)).toEqual(clean)
})

test.runIf(linters)(
  'actionlint detects an unknown input of the action, and a script with an injected text',
  () => {
    const text = workflowText('smoke.yml')
    const root = repository('bad', {
      'input.yml': text.replace('waivers:', 'waiver:'),
      'script.yml': text.replace('run: echo "', `run: echo "$${'{{'} github.event.pull_request.title }} `),
    })
    const { status, output } = lintWorkflows(root)
    expect(status).toBe(1)
    expect(output).toContain('input "waiver" is not defined in action')
    expect(output).toContain('"github.event.pull_request.title" is potentially untrusted')
  },
)

test('no step of the action has an expression inside its script', () => {
  const scripts = readFileSync(projectPath('action.yml'), 'utf8').matchAll(/^ +run: (.*)$/gm)
  const texts = [...scripts].map(([, text]) => text)
  expect(texts.length).toBe(3)
  expect(texts.filter((text) => text?.includes('${{') || /^[|>]/.test(text ?? ''))).toEqual([])
})

test('third-party actions are pinned to a commit', () => {
  const texts = [readFileSync(projectPath('action.yml'), 'utf8'), ...workflows.map(workflowText)]
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, name = '']) => name))
  expect(uses.length).toBeGreaterThan(10)
  const loose = uses.filter((name) => !/^actions\/[\w/-]+@[0-9a-f]{40}$/.test(name))
  expect(new Set(loose)).toEqual(new Set(['example-org/breakwater@v0.1.0']))
})
