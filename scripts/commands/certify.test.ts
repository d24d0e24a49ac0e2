// Real clients: programs that a shell starts, against stubs in real time, under short schedules.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Examination } from '../../hunt/examination.ts'
import { statementSchema } from '../../hunt/statement.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { type CertifyOptions, runCertify } from './certify.ts'

const SHORT: Examination = [
  { name: 'calm', purpose: 'reads', durationMs: 3000, faults: [] },
  {
    name: 'disturbed',
    purpose: 'errors',
    durationMs: 3000,
    faults: faultPlanSchema.parse({
      description: 'of a test',
      faults: [{ fault: 'http-error', where: { routes: ['GET /pools'] } }],
    }).faults,
  },
]

/** Requests the pools once, and exits. */
function writeClient(cwd: string, query: string): string {
  const script = `const { BREAKWATER_BASE_URL: base, BREAKWATER_API_TOKEN: token } = process.env
const headers = { authorization: 'Bearer ' + token }
await fetch(base + '/pools?limit=1' + ${query}, { headers }).then((response) => response.text())`
  writeFileSync(join(cwd, 'my-bot.mjs'), script)
  return script
}

const RULES = 'client.secrets.not-in-urls,client.input.canonical'

async function certify(cwd: string, given: Partial<CertifyOptions> = {}) {
  const { io, written } = writtenIo()
  const exitCode = await runCertify(
    {
      io: { ...io, cwd, env: process.env },
      client: `${process.execPath} my-bot.mjs`,
      ...{ port: 0, feedPort: 0, parallel: 2, rules: RULES, output: 'certificate' },
      ...{ world: 'tiny', seed: 7, choices: 'default' },
      ...given,
    },
    SHORT,
  )
  const read = (name: string) => readFileSync(join(cwd, 'certificate', name), 'utf8')
  return {
    exitCode,
    written: written(),
    read,
    statement: statementSchema.parse(JSON.parse(read('statement.json'))),
  }
}

test('certifies a right client: exit code 0, and a statement with the digest of its file', async () => {
  const cwd = temporaryFolder()
  const script = writeClient(cwd, "''")
  const { exitCode, written, read, statement } = await certify(cwd, { clientVersion: '1.2.0' })
  expect(exitCode).toBe(0)
  expect(written).toContain(
    '\n2 client rules: 2 passed, 0 failed, 0 not exercised\npass: certificate/statement.json,',
  )
  expect(readdirSync(join(cwd, 'certificate')).sort()).toEqual(['badge.md', 'junit.xml', 'statement.json'])
  expect(statement.subject).toEqual([
    { name: 'my-bot@1.2.0', digest: { sha256: createHash('sha256').update(script).digest('hex') } },
  ])
  expect(statement.predicate).toMatchObject({
    client: { name: 'my-bot', version: '1.2.0', digestOf: 'file my-bot.mjs' },
    result: 'pass',
    specification: '0.1.0',
    stub: { world: 'tiny', seed: 7, choices: 'default' },
    schedules: [
      { name: 'calm' },
      { name: 'disturbed', faults: [{ fault: 'http-error' }], clientFailed: false },
    ],
    duties: [
      { rule: 'client.input.canonical', verdict: 'pass', situations: 2, witness: { schedule: 'calm' } },
      { rule: 'client.secrets.not-in-urls', verdict: 'pass' },
    ],
    findings: [],
  })
  expect(read('badge.md')).toMatch(
    /^\[\*\*my-bot@\u200b1\.2\.0\*\*: 2 of 2 client rules passed, specification 0\.1\.0, \d{4}-\d\d-\d\d\]\(statement\.json\)\n$/,
  )
  expect(read('junit.xml')).toContain('<testsuites name="breakwater certify" tests="2" failures="0"')
})

test('a violation: exit code 1, in every output', async () => {
  const cwd = temporaryFolder()
  writeClient(cwd, "'&key=' + token")
  const { exitCode, written, read, statement } = await certify(cwd)
  expect(exitCode).toBe(1)
  const seen = 'GET /pools with an API token in its URL'
  expect(written).toContain(`, in the schedule calm\n  observed  ${seen}\n`)
  expect(statement.predicate).toMatchObject({
    result: 'fail',
    findings: [{ rule: 'client.secrets.not-in-urls', schedule: 'calm', observed: seen }],
  })
  expect(read('badge.md')).toContain('1 of 2 client rules passed, 1 failed,')
  expect(read('junit.xml')).toContain(`<failure message="${seen}">`)
})

test('a rule that was not exercised: exit code 4, skipped in JUnit', async () => {
  const cwd = temporaryFolder()
  writeClient(cwd, "''")
  const { exitCode, written, read, statement } = await certify(cwd, {
    rules: 'client.input.*,client.ticket.only',
  })
  expect(exitCode).toBe(4)
  expect(statement.predicate.result).toBe('inconclusive')
  expect(written).toContain(
    'not exercised  client.ticket.only: an authenticate frame carries a known ticket, API token or session token\n',
  )
  expect(read('junit.xml')).toContain('<skipped message="not exercised">')
})

test.each([
  {
    client: 'sleep 60',
    says: 'the client sent nothing to the stub within 3 s',
  },
  {
    client: 'echo "no such module" >&2; exit 7',
    says: 'the client failed in a run without faults: it exited with 7: no such module',
  },
])('does not judge a client that does not work, and writes nothing: $client', async ({ client, says }) => {
  const cwd = temporaryFolder()
  const certified = certify(cwd, { client, clientName: 'my-bot' })
  await expect(certified).rejects.toThrow(expect.objectContaining({ message: says, exitCode: 3 }))
  expect(readdirSync(join(cwd, 'certificate'))).toEqual([])
})

test('an interruption ends the examination without a statement', async () => {
  const cwd = temporaryFolder()
  writeClient(cwd, "''")
  const { io, interrupt } = writtenIo()
  const options = {
    port: 0,
    feedPort: 0,
    parallel: 2,
    rules: '*',
    output: 'out',
    world: 'tiny',
    seed: 7,
  } as const
  const client = `${process.execPath} my-bot.mjs`
  const examined = runCertify(
    { ...options, client, choices: 'default', io: { ...io, cwd, env: process.env, status: interrupt } },
    SHORT,
  )
  await expect(examined).rejects.toThrow(
    expect.objectContaining({ message: 'interrupted before the examination was complete', exitCode: 130 }),
  )
  expect(readdirSync(join(cwd, 'out'))).toEqual([])
})

test.each([
  {
    argv: ['--client', 'npm run my-bot'],
    says: '--client-name is required, because --client contains no path of a file in the working folder\n  The statement needs a name',
  },
  {
    argv: ['--client-name', 'bot', '--rules', 'client.tickets.*'],
    says: '--rules: no rule matches "client.tickets.*"',
  },
  {
    argv: ['--client-name', 'bot', '--output', 'taken'],
    says: 'taken: is a file, not a folder\n  Name another folder with --output.',
  },
  { argv: ['--client', './bot', '--port', '1'], says: '--client cannot be used with --port' },
])('rejects $argv', async ({ argv, says }) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'taken'), '')
  const { exitCode, stdout, stderr } = await runCommandLine(['certify', ...argv], { cwd })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(says)
})
