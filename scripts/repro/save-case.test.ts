import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../contract/finding.ts'
import type { Run } from '../../contract/run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RULE = 'auth.refresh.race-survives'

const RUN: Omit<Run, 'id' | 'startedAt'> = {
  version: 1,
  job: 'smoke',
  state: 'finished',
  finishedAt: null,
  target: { name: 'stub', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', control: true },
  world: 'churn',
  seed: 11,
  choices: 'alternative',
  mutant: 'auth-refresh-loser-clears',
  strict: false,
  minJudged: null,
  sloSkipped: null,
  versions: { breakwater: '0', node: '0', k6: '0' },
  command: 'breakwater smoke',
  rules: [RULE, 'wire.body.json', 'own.a.b'],
  customRules: {},
  waivers: [],
  repro: null,
  mix: null,
  arrivals: null,
  load: null,
  machine: null,
  instances: 1,
  mergedFrom: [],
  notes: [],
  search: null,
  slo: null,
  k6: null,
}

function runsFolder(
  ...runs: readonly { day: number; fails: readonly string[]; more?: Partial<Run> }[]
): string {
  const cwd = temporaryFolder()
  for (const { day, fails, more = {} } of runs) {
    const id = `run-${day}`
    const dir = join(cwd, 'runs', id)
    mkdirSync(dir, { recursive: true })
    const run = { ...RUN, id, startedAt: `2026-01-0${day}T00:00:00Z`, ...more }
    writeFileSync(join(dir, 'run.json'), JSON.stringify(run))
    const findings = run.rules.map(
      (rule): Finding => ({
        finding: 1,
        rule,
        verdict: fails.includes(rule) ? 'fail' : 'pass',
        expected: 'alive',
        observed: 'dead',
        evidence: [],
        scenario: 'time',
        at: 0,
      }),
    )
    writeFileSync(join(dir, 'findings.ndjson'), findings.map((one) => `${JSON.stringify(one)}\n`).join(''))
  }
  return cwd
}

const read = (cwd: string, file: string) => JSON.parse(readFileSync(join(cwd, file), 'utf8'))

test('saves a failure of the newest failed smoke run as a case, with its stub', async () => {
  const cwd = runsFolder(
    { day: 1, fails: ['wire.body.json'] },
    { day: 2, fails: [RULE, 'own.a.b'] },
    { day: 3, fails: [] },
    { day: 4, fails: ['wire.body.json'], more: { job: 'run' } },
  )
  writeFileSync(join(cwd, 'runs', 'a-file'), '')
  const { exitCode, stdout } = await runCommandLine(['repro', '--save'], { cwd })
  expect(stdout).toBe(
    'auth-refresh-race-survives.json: auth.refresh.race-survives, from run run-2\nRun it: breakwater repro run ./auth-refresh-race-survives.json\n',
  )
  expect(exitCode).toBe(0)
  expect(read(cwd, 'auth-refresh-race-survives.json')).toEqual({
    title: 'auth.refresh.race-survives failed',
    story:
      'Saved from run run-2 (breakwater smoke). auth.refresh.race-survives: expected alive; observed dead.',
    rules: [RULE],
    stub: { world: 'churn', seed: 11, choices: 'alternative', mutant: 'auth-refresh-loser-clears' },
  })
  const shown = await runCommandLine(['repro', 'show', './auth-refresh-race-survives.json'], { cwd })
  expect(shown.stdout).toContain(
    'stub: world churn, seed 11, choices alternative, mutant auth-refresh-loser-clears',
  )
})

test('saves the named run under the given name, and overwrites nothing', async () => {
  const cwd = runsFolder({ day: 1, fails: ['wire.body.json'] }, { day: 2, fails: [RULE] })
  const argv = ['repro', '--save', 'mine', '--run', 'runs/run-1']
  expect((await runCommandLine(argv, { cwd })).exitCode).toBe(0)
  expect(read(cwd, 'mine.json').rules).toEqual(['wire.body.json'])
  const again = await runCommandLine(argv, { cwd })
  expect(again).toMatchObject({ exitCode: 2, stdout: '' })
  expect(again.stderr).toContain('mine.json: already exists')
})

test('a failure on a target becomes a case for a target', async () => {
  const target = { name: 'staging', baseUrl: 'https://x.test', wsUrl: 'wss://x.test', control: false }
  const cwd = runsFolder({ day: 1, fails: [RULE], more: { target, world: null, choices: null } })
  const { stdout } = await runCommandLine(['repro', '--save', 'far'], { cwd })
  expect(stdout).toContain('Run it: breakwater repro run ./far.json --target PROFILE\n')
  expect(read(cwd, 'far.json').target).toEqual({ name: 'staging', baseUrl: 'https://x.test' })
  const namedCase = await runCommandLine(['repro', 'run', './far.json'], { cwd })
  expect(namedCase.exitCode).toBe(2)
  expect(namedCase.stderr).toBe(
    'breakwater: far: was saved from staging (https://x.test), which is not a stub\n  Name its profile with --target.\n',
  )
})

test.each([
  {
    what: 'there are no runs',
    runs: [],
    argv: [],
    says: /^breakwater: runs\/: no smoke run .*\n {2}Make one with `breakwater smoke`/,
  },
  {
    what: 'nothing failed',
    runs: [{ day: 1, fails: [] }],
    argv: [],
    says: /no smoke run with a failed rule\n {2}All rules passed/,
  },
  {
    what: 'the named run has no failure',
    runs: [{ day: 1, fails: [] }],
    argv: ['--run', 'runs/run-1'],
    says: /runs\/run-1: no rule failed in this run/,
  },
  {
    what: 'the run is not a smoke run',
    runs: [{ day: 1, fails: [RULE], more: { job: 'repro' } }],
    argv: ['--run', 'runs/run-1'],
    says: /runs\/run-1: expected a smoke run, found a repro run/,
  },
  { what: 'the run does not exist', runs: [], argv: ['--run', 'runs/x'], says: /runs\/x/ },
  { what: 'the name is a path', runs: [{ day: 1, fails: [RULE] }], argv: ['../x'], says: /--save "\.\.\/x"/ },
])('does not save if $what', async ({ runs, argv, says }) => {
  const cwd = runsFolder(...runs)
  const { exitCode, stdout, stderr } = await runCommandLine(['repro', '--save', ...argv], { cwd })
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
})
