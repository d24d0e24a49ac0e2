// Explores stubs of the command, and a target that a user names.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exploreReportSchema } from '../../contract/explore-report.ts'
import { exploreCaseSchema } from '../../explore/explore-case.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { createStubCertificate } from '../stub/write-profile.ts'
import { progressParts } from './explore.ts'

const MUTANT = 'auth-logout-all-keeps-current'

const run = (cwd: string, line: string) => runCommandLine(['explore', ...line.split(' ')], { cwd })

function readJson(...path: string[]) {
  return JSON.parse(readFileSync(join(...path), 'utf8'))
}

test('the progress ends with what took the time', () => {
  const progress = { sequences: 1, commands: 40, coverage: 30, findings: 0, shrinking: null }
  const parts = ['0 findings', '1 sequence (40 commands)', 'coverage 30']
  const waited = (text: string) => progressParts(progress, { text: () => text })
  expect(waited('9 s for swaps')).toEqual([...parts, 'waited 9 s for swaps'])
  expect(waited('')).toEqual(parts)
  expect(progressParts(progress, undefined)).toEqual(parts)
})

test('stops after --max-findings', async () => {
  const cwd = temporaryFolder()
  const { exitCode, stdout } = await run(cwd, `--mutant ${MUTANT} --seed 7 --max-findings 1 --json`)
  const { findings, sequences } = exploreReportSchema.parse(JSON.parse(stdout))
  expect(exitCode).toBe(1)
  expect(findings).toHaveLength(1)
  expect(sequences).toBe(findings[0]?.path)
})

test('finds a violation, saves its case, and repeats it', async () => {
  const cwd = temporaryFolder()
  const found = await run(
    cwd,
    `--mutant ${MUTANT} --commands log-out-all,read --seed 7 --max-sequences 20 --output out`,
  )
  const [name = ''] = readdirSync(join(cwd, 'cases'))
  expect(found.exitCode).toBe(1)
  const lines = found.stdout.split('\n')
  expect(lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^auth\.logout-all\.every-session {2}s\d+: /),
    '  expected a 401, because the session ended (log-out-all)',
    '  observed 200',
  ])
  expect(lines).toContain(`  case     cases/${name}`)
  expect(lines.at(-3)).toMatch(
    /^1 finding in 20 sequences \(\d+ commands\); coverage: \d+ outcomes, \d+ pairs of commands, \d+ states$/,
  )
  expect(lines.at(-2)).toBe('Report: out/explore.html')

  expect(readdirSync(join(cwd, 'out')).sort()).toEqual(['explore.html', 'explore.json', 'junit.xml'])
  const report = exploreReportSchema.parse(readJson(cwd, 'out', 'explore.json'))
  expect(report).toMatchObject({
    verdict: 'fail',
    exitCode: 1,
    seed: 7,
    sequences: 20,
    findings: [{ rule: 'auth.logout-all.every-session', observed: '200', file: `cases/${name}`, length: 3 }],
  })
  expect(readFileSync(join(cwd, 'out', 'junit.xml'), 'utf8')).toContain(
    '<testsuites name="breakwater explore" tests="2" failures="1"',
  )
  expect(readFileSync(join(cwd, 'out', 'explore.html'), 'utf8')).toContain(
    '<code>auth.logout-all.every-session</code>',
  )

  const saved = exploreCaseSchema.parse(readJson(cwd, 'cases', name))
  expect(saved.stub).toMatchObject({ mutant: MUTANT, seed: 7 })
  const again = await run(cwd, `--case cases/${name}`)
  expect(again).toMatchObject({ exitCode: 1, stderr: '' })
  expect(again.stdout).toContain(
    `cases/${name}: auth.logout-all.every-session: still appears in 3 of 3 runs: 200\n`,
  )
  writeFileSync(join(cwd, 'fixed.json'), JSON.stringify({ ...saved, stub: { ...saved.stub, mutant: null } }))
  expect(await run(cwd, '--case fixed.json')).toMatchObject({
    exitCode: 0,
    stdout: 'fixed.json: auth.logout-all.every-session: did not appear in 3 runs; it was: 200\n',
  })
  const { exitCode, stdout } = await run(cwd, `--case cases/${name} --json`)
  expect({ exitCode, shown: JSON.parse(stdout) }).toMatchObject({ exitCode: 1, shown: { times: 3, of: 3 } })
})

test('checks the folder of cases first, and reports findings whose case cannot be saved', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'file'), '')
  const line = `--mutant ${MUTANT} --commands log-out-all,read --seed 7 --max-sequences 20 --output`
  expect(await run(cwd, `${line} no --cases file`)).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: `breakwater: ${cwd}/file: is a file, not a folder\n  Name a folder of cases that you can write to.\n`,
  })
  await run(cwd, `${line} first`)
  const [name = ''] = readdirSync(join(cwd, 'cases'))
  mkdirSync(join(cwd, 'taken', name), { recursive: true })
  const late = await run(cwd, `${line} late --cases taken`)
  expect(late).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('  case     not saved\n'),
    stderr: expect.stringContaining(`breakwater: taken/${name}: cannot be written: it is a folder`),
  })
  expect(late.stdout).toContain('Report: late/explore.html\n')
  expect(readJson(cwd, 'late', 'explore.json')).toMatchObject({ verdict: 'fail', findings: [{ file: '' }] })
  expect(readFileSync(join(cwd, 'late', 'explore.html'), 'utf8')).toContain('Its case could not be saved.')
  expect(readdirSync(cwd).sort()).toEqual(['cases', 'file', 'first', 'late', 'taken'])
})

test('a limit that does not suffice for one sequence is the reason of the verdict', async () => {
  const cwd = temporaryFolder()
  const { exitCode, stdout } = await run(cwd, '--max-requests 1 --output out')
  expect(exitCode).toBe(4)
  expect(stdout).toContain(
    '1 sequence not judged completely, the last one because: --max-requests 1 was used up before it; raise the limit\n',
  )
  const reason = '--max-requests 1 was used up before it; raise the limit'
  expect(readJson(cwd, 'out', 'explore.json')).toMatchObject({
    sequences: 0,
    unjudged: [{ path: 1, reason }],
  })
  expect(readFileSync(join(cwd, 'out', 'explore.html'), 'utf8')).toContain(reason)
})

test('--commands and --json: explores with some commands, and prints the report', async () => {
  const cwd = temporaryFolder()
  const { exitCode, stdout, stderr } = await run(cwd, '--commands read,log-* --max-sequences 3 --json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const report = exploreReportSchema.parse(JSON.parse(stdout))
  expect(report).toMatchObject({
    verdict: 'pass',
    sequences: 3,
    findings: [],
    coverage: { pairs: expect.any(Number) },
  })
  const [folder = ''] = readdirSync(join(cwd, 'runs'))
  expect(readJson(cwd, 'runs', folder, 'explore.json')).toEqual(JSON.parse(stdout))
})

test.each([false, true])('explores a target (TLS: %s), and finds what is wrong with it', async (isTls) => {
  const cwd = temporaryFolder()
  const { identity, ca } = await createStubCertificate({ host: '127.0.0.1' })
  writeFileSync(join(cwd, 'ca.pem'), ca)
  const mutant = 'sequence-own-revoke-keeps-refresh'
  const given = await givenStub(cwd, { mutant, ...(isTls && { tls: identity }) })
  given.writeProfile({ more: { ca: isTls ? 'ca.pem' : null } })
  // Without `hear`, which waits for the market.
  const commands = 'refresh,revoke-session,read,connect,renew,synchronize'
  const line = `--target profile.json --seed 7 --commands ${commands} --max-sequences 16`
  const { exitCode, stdout, stderr } = await run(cwd, line)
  expect(stdout).toContain('auth.sessions.revoke-ends-refresh  ')
  expect(exitCode).toBe(1)
  expect(stderr).toContain('target stub: signs in, creates sessions, API tokens and sockets, and ends them\n')
  const [name = ''] = readdirSync(join(cwd, 'cases'))
  expect(readJson(cwd, 'cases', name)).toMatchObject({ stub: null, target: 'stub' })
  expect(await run(cwd, `--case cases/${name}`)).toMatchObject({
    exitCode: 2,
    stderr: `breakwater: cases/${name}: this case was found on the target stub\n  Name its profile with --target.\n`,
  })
  expect(await run(cwd, `--case cases/${name} --target profile.json`)).toMatchObject({ exitCode: 1 })
})

test('a target that stops responding is not reported as right', async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile()
  let stopped: Promise<void> | undefined
  const { exitCode, stdout } = await runCommandLine(
    ['explore', '--target', 'profile.json', '--commands', 'refresh,read', '--json'],
    {
      cwd,
      onStderr(text) {
        if (text.includes('at most')) stopped = given.stub.close()
      },
    },
  )
  await stopped
  expect(exitCode).toBe(4)
  const report = exploreReportSchema.parse(JSON.parse(stdout))
  expect(report).toMatchObject({ verdict: 'inconclusive', findings: [] })
  expect(report.unjudged.at(-1)?.reason).toBe('the target did not respond')
})

const SIGN_IN = { do: 'sign-in', wallet: 0, as: 's1' }
const CASE = {
  specification: '0.1.0',
  finding: { rule: 'auth.sessions.revoke', command: 's1: read', expected: 'a 401', observed: '200' },
  stub: { world: 'tiny', seed: 7, choices: 'default' },
  target: 'stub',
  seed: 7,
  path: 1,
  sequence: [[SIGN_IN]],
}

test('names the command that runs a case of another kind', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.json'), JSON.stringify({ finding: {}, world: {}, schedule: null }))
  const { exitCode, stderr } = await run(cwd, '--case a.json')
  expect(exitCode).toBe(2)
  expect(stderr).toBe(
    'breakwater: a.json: is a case of `hunt`, not of `explore`\n  Run it with your client: `breakwater repro run a.json --client COMMAND`.\n',
  )
})

test.each([
  { change: { specification: '0.2.0' }, says: 'specification: expected "0.1.0"' },
  {
    change: { finding: { ...CASE.finding, rule: 'client.429.waits' } },
    says: 'finding.rule: no rule of the exchange is named "client.429.waits"',
  },
  { change: { sequence: [[{ do: 'fly' }]] }, says: 'sequence[0][0].do: unknown name "fly"' },
  {
    change: { sequence: [[SIGN_IN], [{ do: 'list-sessions', session: 's2' }]] },
    says: 'sequence[1][0]: uses s2, which no earlier turn creates',
  },
  {
    change: { sequence: [[SIGN_IN, { do: 'list-sessions', session: 's1' }]] },
    says: 'sequence[0][1]: uses s1, which no earlier turn creates',
  },
  { change: { sequence: [[SIGN_IN], [SIGN_IN]] }, says: 'sequence[1]: creates s1 a second time' },
])('rejects a case with the path of the problem: $says', async ({ change, says }) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.json'), JSON.stringify({ ...CASE, ...change }))
  const { exitCode, stdout, stderr } = await run(cwd, '--case a.json')
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(`breakwater: a.json: not a valid case of \`explore\`:\n  ${says}`)
})

test.each([
  {
    line: '--commands refreshes',
    says: 'breakwater: --commands: no command matches "refreshes"\n  Did you mean refresh',
  },
  { line: '--case a.json --mutant zero', says: 'breakwater: --case cannot be used with --mutant' },
  {
    line: '--target profile.json',
    says: 'breakwater: profile.json: explore needs two wallets with access that can sign',
  },
  {
    line: '--target profile.json --case a.json',
    wallets: 2,
    says: 'breakwater: a.json: this case needs 5 wallets, one of them for the witness; the target has 2',
  },
])('rejects $line', async ({ line, says, wallets: count = 1 }) => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const able = given.stub.wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  given.writeProfile({ wallets: able.slice(0, count) })
  writeFileSync(join(cwd, 'a.json'), JSON.stringify({ ...CASE, sequence: [[{ ...SIGN_IN, wallet: 3 }]] }))
  const { exitCode, stdout, stderr } = await run(cwd, line)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(says)
})
