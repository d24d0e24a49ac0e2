import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'

let folder: string
let output: string

beforeEach(() => {
  folder = temporaryFolder()
  output = join(folder, 'output')
  writeFileSync(output, '')
})

/** A step of the action, as a runner starts it: in the user's workspace. */
function step(word: string, env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [projectPath('scripts/action.mjs'), word], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GITHUB_OUTPUT: output, RUNNER_TEMP: folder, ...env },
  })
}

test('a stub that breaks a rule: the step fails and names the rule', () => {
  const summary = join(folder, 'summary.md')
  const { status, stdout } = step('run', {
    GITHUB_STEP_SUMMARY: summary,
    BREAKWATER_INPUT_COMMAND: 'smoke',
    BREAKWATER_INPUT_ARGUMENTS: '--mutant\nwire-fee-number\n--rules=wire.*\n--no-load\n',
  })
  expect(status).toBe(1)
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^::stop-commands::[0-9a-f-]{36}$/)
  expect(lines).toContainEqual(expect.stringMatching(/^fail: 14 of 14 rules judged, [1-9]\d* failed/))
  expect(lines.at(-1)).toMatch(/^::error title=wire\.[a-z.-]+%3A failed::expected: .*%0Aobserved: /)
  expect(readFileSync(summary, 'utf8')).toContain('# Breakwater smoke: fail')
  const [, out = ''] = /^run-folder<<.*\n(.*)\n/m.exec(readFileSync(output, 'utf8')) ?? []
  expect(readdirSync(out)).toContain('report.html')
})

test('a bad input is an error of its own, in one line', () => {
  const { status, stdout, stderr } = step('run', { BREAKWATER_INPUT_COMMAND: 'a\n::add-mask::b' })
  expect(stdout).toBe(
    '::error title=command%3A unknown command "a\\n%3A%3Aadd-mask%3A%3Ab"::Did you mean capacity, load or smoke? examples/README.md lists all inputs and commands of the action.\n',
  )
  expect([status, stderr]).toEqual([2, ''])
})

test('k6 is kept by a key of its sources and the machine', () => {
  const cache = join(folder, 'cache')
  expect(step('cache', { XDG_CACHE_HOME: cache })).toMatchObject({ status: 0, stdout: '' })
  const [, kept] = /^folder<<.*\n(.*)\n/m.exec(readFileSync(output, 'utf8')) ?? []
  const [, key = ''] = /^key<<.*\n(.*)\n/m.exec(readFileSync(output, 'utf8')) ?? []
  expect(key).toMatch(/^breakwater-k6-[0-9a-f]{16}-[a-z0-9]+-[a-z0-9]+$/)
  expect(kept).toBe(join(cache, 'breakwater', key.replace('breakwater-', '')))
})

test('a k6 of one’s own is not kept', () => {
  step('cache', { BREAKWATER_K6: '/somewhere/k6' })
  expect(readFileSync(output, 'utf8')).toMatch(/^folder<<(.*)\n\n\1\nkey<<(.*)\n\n\2\n$/)
})

test('an unknown step', () => {
  expect(step('toString', {})).toMatchObject({
    status: 2,
    stdout: '::error title=unknown step "toString"::Expected cache or run.\n',
  })
})

/** The first step of the action, with an npm of the given text. */
function install(npm: string) {
  const { runs } = parse(readFileSync(projectPath('action.yml'), 'utf8'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 })
  const env = { PATH: bin, GITHUB_ACTION_PATH: folder }
  const args = ['--noprofile', '--norc', '-e', '-c', runs.steps[0].run]
  return () => spawnSync('/bin/bash', args, { encoding: 'utf8', env })
}

test('an installation that is complete is not repeated', () => {
  const run = install(`echo "npm $*"; /bin/mkdir node_modules; : >node_modules/.package-lock.json`)
  expect(run()).toMatchObject({
    status: 0,
    stdout: 'npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=warn\n',
  })
  expect(run()).toMatchObject({ status: 0, stdout: '' })
})

test('the step fails if npm does', () => {
  expect(install('echo "npm error code EUSAGE" >&2; exit 1')()).toMatchObject({
    status: 1,
    stderr: 'npm error code EUSAGE\n',
  })
})
