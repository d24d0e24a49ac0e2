// Real clients: programs that a shell starts, against stubs in real time.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
  const lines = found.stdout.split('\n').map((line) => line.replace(/\d\d:\d\d:\d\d\.\d{3}/, 'TIME'))
  expect(lines[0]).toMatch(/^client\.secrets\.not-in-urls {2}wallet \d$/)
  expect(lines.slice(1, 7)).toEqual([
    '  seen     GET /pools with an API token in its URL',
    expect.stringMatching(/^ {2}do {7}/),
    '  faults   no faults',
    '  confirmed 3 of 3 runs',
    expect.stringMatching(/^ {2}journal {2}\d+ {2}TIME {2}GET \/pools 200, by api-token, ref /),
    `  case     cases/${name}`,
  ])
  expect(lines.at(-2)).toMatch(/^1 finding in 2 schedules \(\d+ runs\); 31 duties: 1 violated, /)

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
  const fixed = await run(cwd, 'hunt', '--client', right, '--max-schedules', '1', '--junit', 'hunt.xml')
  expect(fixed.stdout).toContain(`cases/${name}: fixed\n`)
  expect(fixed.exitCode).toBe(0)
  const junit = readFileSync(join(cwd, 'hunt.xml'), 'utf8')
  expect(junit).toContain('<testsuites name="breakwater hunt" tests="32" failures="0"')
  expect(junit).toContain('<testcase classname="client" name="client.secrets.not-in-urls"/>')
  expect(junit).toContain('<skipped message="not exercised by any schedule">')
})

test.each([
  {
    client: 'sleep 60',
    says: 'the client sent nothing to the stub within 1 s\n  Check that it uses the addresses that it gets; nothing was judged.',
  },
  {
    client: 'echo "no such module" >&2; exit 7',
    says: 'the client failed in a run without faults: it exited with 7: no such module\n  Make it work against a stub without faults first; nothing was judged.',
  },
  {
    client: './not-there',
    says: 'the client failed in a run without faults: it exited with 127: sh: 1: ./not-there: not found\n  Make it work against a stub without faults first; nothing was judged.',
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
