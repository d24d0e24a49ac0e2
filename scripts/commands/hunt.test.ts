// Real clients: programs that a shell starts, against stubs in real time.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { huntReportSchema } from '../../contract/hunt-report.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

/** Requests the pools once, and exits. */
function writeClient(cwd: string, name: string, query: string): string {
  const script = `const { BREAKWATER_BASE_URL: base, BREAKWATER_API_TOKEN: token } = process.env
const headers = { authorization: 'Bearer ' + token }
await fetch(base + '/pools?limit=1' + ${query}, { headers }).then((response) => response.text()).catch(() => {})`
  writeFileSync(join(cwd, name), script)
  return `${process.execPath} ${name}`
}

const run = (cwd: string, ...argv: string[]) => runCommandLine(argv, { cwd, env: process.env })

test('finds a violation, saves its case, replays it, and reports it fixed', async () => {
  const cwd = temporaryFolder()
  const wrong = writeClient(cwd, 'wrong.mjs', "'&key=' + token")
  const right = writeClient(cwd, 'right.mjs', "''")
  const hunt = (client: string) =>
    run(cwd, 'hunt', '--client', client, '--max-schedules', '2', '--parallel', '1')

  const found = await hunt(wrong)
  const [name = ''] = readdirSync(join(cwd, 'cases'))
  expect(name).toMatch(/^secrets-not-in-urls-[0-9a-f]{8}\.json$/)
  expect(found.exitCode).toBe(1)
  const lines = found.stdout.split('\n')
  expect(lines[0]).toMatch(/^client\.secrets\.not-in-urls {2}wallet \d$/)
  expect(lines.slice(1, 7)).toEqual([
    '  observed  GET /pools with an API token in its URL',
    expect.stringMatching(/^ {2}fix {7}/),
    '  faults    no faults',
    '  confirmed 3 of 3 runs',
    expect.stringMatching(/^ {2}journal {3} *\d+\.\d{3} s {2}GET \/pools 200, by api-token, ref /),
    `  case      cases/${name}`,
  ])
  expect(lines.at(-3)).toMatch(/^1 finding in 2 schedules \(\d+ runs\); 31 client rules: 1 violated, /)

  const [folder = ''] = readdirSync(join(cwd, 'runs'))
  expect(folder).toMatch(/^\d{8}T\d{6}-hunt-/)
  expect(lines.at(-2)).toBe(`Report: runs/${folder}/hunt.html`)
  expect(readdirSync(join(cwd, 'runs', folder)).sort()).toEqual(['hunt.html', 'hunt.json', 'junit.xml'])
  const report = huntReportSchema.parse(
    JSON.parse(readFileSync(join(cwd, 'runs', folder, 'hunt.json'), 'utf8')),
  )
  expect(report).toMatchObject({
    verdict: 'fail',
    exitCode: 1,
    schedules: 2,
    findings: [
      {
        rule: 'client.secrets.not-in-urls',
        faults: ['no faults'],
        file: `cases/${name}`,
        timeline: [
          { actor: 'client', kind: 'sent', rule: 'client.secrets.not-in-urls' },
          { actor: 'client', kind: 'finding', text: 'GET /pools with an API token in its URL' },
        ],
      },
    ],
  })
  expect(report.duties.filter(({ verdict }) => verdict === 'fail')).toEqual([
    { rule: 'client.secrets.not-in-urls', verdict: 'fail', exercised: 2, violated: 2 },
  ])

  const saved = JSON.parse(readFileSync(join(cwd, 'cases', name), 'utf8'))
  expect(saved).toMatchObject({ finding: { rule: 'client.secrets.not-in-urls' }, schedule: null })
  const replay = (client: string) => run(cwd, 'repro', 'run', `cases/${name}`, '--client', client)
  const again = await replay(wrong)
  expect(again).toMatchObject({ exitCode: 1, stderr: '' })
  expect(again.stdout).toContain(
    'client.secrets.not-in-urls: still reproduces: GET /pools with an API token in its URL\n',
  )
  expect(await replay(right)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(
      'client.secrets.not-in-urls: did not appear in 3 runs; it was: GET /pools',
    ),
  })
  expect((await hunt(wrong)).stdout).toContain(`cases/${name}: still reproduces\n`)
  const fixed = await run(cwd, 'hunt', '--client', right, '--max-schedules', '1', '-o', 'out')
  expect(fixed.stdout).toContain(`cases/${name}: fixed\n`)
  expect(fixed.exitCode).toBe(0)
  const junit = readFileSync(join(cwd, 'out', 'junit.xml'), 'utf8')
  expect(junit).toContain('<testsuites name="breakwater hunt" tests="32" failures="0"')
  expect(junit).toContain('<testcase classname="client" name="client.secrets.not-in-urls"/>')
  expect(junit).toContain('<skipped message="not exercised by any schedule">')
})

test('checks the folder of cases first, and reports findings whose case cannot be saved', async () => {
  const cwd = temporaryFolder()
  const wrong = writeClient(cwd, 'wrong.mjs', "'&key=' + token")
  const hunt = (client: string, ...more: string[]) =>
    run(cwd, 'hunt', '--client', client, '--max-schedules', '1', '--parallel', '1', ...more)
  expect(await hunt(wrong, '--cases', 'wrong.mjs/cases')).toMatchObject({ exitCode: 2, stdout: '' })
  const late = await hunt(`touch cases; ${wrong}`, '-o', 'late')
  expect(late).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('  case      not saved\n'),
    stderr: expect.stringMatching(
      /breakwater: cases\/secrets-.*: cannot be written: a part of its path is a file/,
    ),
  })
  expect(late.stdout).toContain('Report: late/hunt.html\n')
  expect(readFileSync(join(cwd, 'late', 'hunt.html'), 'utf8')).toContain('Its case could not be saved.')
})

test.each([
  {
    client: 'sleep 60',
    says: 'the client sent nothing to the stub within 1 s\n  Check that it uses the addresses that it gets. Nothing was judged.',
  },
  {
    client: 'echo "no such module" >&2; exit 7',
    says: 'the client failed in a run without faults: it exited with 7: no such module\n  Make it work against a stub without faults first. Nothing was judged.',
  },
  {
    client: './not-there',
    says: 'the client failed in a run without faults: it exited with 127: sh: 1: ./not-there: not found\n  Make it work against a stub without faults first. Nothing was judged.',
  },
])('does not judge a client that does not work: $client', async ({ client, says }) => {
  const result = await run(temporaryFolder(), 'hunt', '--client', client, '--duration', '1s')
  expect(result).toMatchObject({ exitCode: 3, stdout: '', stderr: `breakwater: ${says}\n` })
})

const CASE = {
  specification: '0.1.0',
  finding: { rule: 'client.429.waits', client: 'wallet 2', shape: 'again', observed: 'again' },
  world: { durationMs: 1000 },
  schedule: null,
}

test.each([
  {
    change: { specification: '0.2.0' },
    says: 'a.json: not a valid case of a hunt:\n  specification: expected "0.1.0"',
  },
  {
    change: { schedule: { description: 'x', faults: [{ fault: 'http-430' }] } },
    says: 'a.json: not a valid case of a hunt:\n  schedule.faults[0].fault: ',
  },
  {
    change: {
      schedule: { description: 'x', faults: [{ fault: 'http-429', where: { routes: ['GET /pool'] } }] },
    },
    says: 'a.json: the schedule does not fit this exchange:\n  schedule.faults[0].where.routes[0]: "GET /pool" matches no route',
  },
])('refuses a case with the path of the problem: $says', async ({ change, says }) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.json'), JSON.stringify({ ...CASE, ...change }))
  for (const argv of [
    ['repro', 'run', 'a.json', '--client', 'true'],
    ['hunt', '--client', 'true', '--cases', '.'],
  ]) {
    const { exitCode, stdout, stderr } = await run(cwd, ...argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(says)
  }
})

test.each(['hunt', 'certify'])('%s rejects --parallel without --client', async (command) => {
  const { exitCode, stderr } = await run(temporaryFolder(), command, '--parallel', '3')
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(new RegExp(`^breakwater: ${command}: --parallel needs --client\\n`))
})

test.each([
  {
    what: 'a pipe',
    make: (file: string) => execFileSync('mkfifo', [file]),
    says: 'it is a pipe or a device, not a file',
  },
  { what: 'a folder', make: (file: string) => mkdirSync(file), says: 'it is a folder, not a file' },
])('refuses a case that is $what', async ({ make, says }) => {
  const cwd = temporaryFolder()
  make(join(cwd, 'a.json'))
  for (const argv of [
    ['repro', 'run', 'a.json', '--client', 'true'],
    ['hunt', '--client', 'true', '--cases', '.'],
  ]) {
    const { exitCode, stdout, stderr } = await run(cwd, ...argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toBe(`breakwater: a.json: cannot be read: ${says}\n  Expected a case of a hunt there.\n`)
  }
})

test('a client that ignores signals is killed, and one that keeps its output open is not waited for', async () => {
  const cwd = temporaryFolder()
  const reader = writeClient(cwd, 'right.mjs', "''")
  const client = `setsid sleep 20 & trap '' TERM; ${reader}; echo $$ > shell; sleep 60`
  const result = await run(cwd, 'hunt', '--client', client, '--max-schedules', '1', '--duration', '4s')
  expect(result).toMatchObject({ exitCode: 0 })
  const pid = Number(readFileSync(join(cwd, 'shell'), 'utf8'))
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('several sets of choices need a client that the command starts', async () => {
  const result = await run(temporaryFolder(), 'hunt', '--choices', 'default', 'alternative')
  expect(result).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr:
      'breakwater: hunt: several --choices need --client\n  The stub of a client that is already running keeps its choices. Name one set, or start the client with --client.\n',
  })
})
