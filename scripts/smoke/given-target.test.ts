// Real runs against a stub that is given as a target: what a run does to it, and what it can judge with little.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Report, reportSchema } from '../../contract/report.ts'
import { ruleById } from '../../contract/rules.ts'
import { type GivenStub, givenStub } from '../test/given-stub.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

const TIMEOUT = { timeout: 180_000 }
/** What takes no waiting. */
const QUICK = 'wire.*,paging.*,access.*,auth.*,api-token.*,admin.*,referral.*,ws.sync.answered,ws.ticket.by-*'

/** IPv4 by way of IPv6: an address of this machine that does not look like one. */
const ELSEWHERE = '[::ffff:7f00:1]'

async function smoke(options: {
  cwd: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  load?: true
}): Promise<{ exitCode: number; stderr: string; report: Report }> {
  const { cwd, args, env = {}, load } = options
  const noLoad = load ? [] : ['--no-load']
  const argv = ['smoke', '--target', 'profile.json', ...noLoad, '--out', 'run', ...args]
  const clean = { ...process.env, BREAKWATER_API_TOKENS: '', BREAKWATER_CONTROL_TOKEN: '' }
  const { exitCode, stderr } = await runCommandLine(argv, { cwd, env: { ...clean, ...env } })
  const report = reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'run/report.json'), 'utf8')))
  return { exitCode, stderr, report }
}

const of = ({ rules }: Report, verdict: string) => rules.filter((rule) => rule.verdict === verdict)
const ids = (rules: readonly { id: string }[]) => rules.map(({ id }) => id)

async function requestsOf({ control }: GivenStub): Promise<{ method: string; route: string }[]> {
  const entries: { kind: string; method: string; route: string }[] = []
  for (let after = 0; ; ) {
    const page = (await control(`/journal?after=${after}&limit=1000`)) as {
      entries: { number: number; kind: string; method: string; route: string }[]
    } // as: the control API's own shape
    const last = page.entries.at(-1)
    if (last === undefined) return entries.filter(({ kind }) => kind === 'request')
    entries.push(...page.entries)
    after = last.number
  }
}

test('with a control API its clock is moved, and put back', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile()
  const before = Date.now() - Number((await given.control('/status')).nowMs)
  const rules =
    'auth.session.*,auth.refresh.*,ws.auth.deadline-5s,ws.ticket.*,ws.restart.*,faucet.*,protocol.*'
  const { exitCode, stderr, report } = await smoke({
    cwd,
    args: ['--rules', rules],
    env: {
      BREAKWATER_CONTROL_TOKEN: given.stub.controlToken,
      BREAKWATER_API_TOKENS: given.stub.apiTokens.join(','),
    },
  })
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(exitCode).toBe(0)
  expect(stderr).toContain('control API: its clock is moved, and put back')
  const after = Date.now() - Number((await given.control('/status')).nowMs)
  // Where it was not put back it is ahead by an hour.
  expect(Math.abs(after - before)).toBeLessThan(120_000)
  expect(await given.control('/status')).toMatchObject({ sockets: 0 })
})

test('with one wallet nearly all is judged, and nothing fails', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const [wallet] = given.stub.wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  given.writeProfile({ wallets: wallet ? [wallet] : [], more: { control: null } })
  const { report } = await smoke({ cwd, args: ['--rules', QUICK] })
  expect([...of(report, 'fail'), ...of(report, 'inconclusive')]).toEqual([])
  const quick = report.rules.filter(({ id }) => ruleById(id)?.takes === 'moments' && !id.startsWith('admin.'))
  const skipped = quick.filter(({ verdict }) => verdict === 'skipped')
  expect(skipped.length / quick.length).toBeLessThan(0.1)
  for (const { reason } of skipped) expect(reason).toMatch(/wallet|API token/)
})

test('with API tokens alone what takes no sign-in is judged', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ wallets: [], more: { control: null } })
  const env = { BREAKWATER_API_TOKENS: given.stub.apiTokens[0] ?? '' }
  const { report } = await smoke({ cwd, args: ['--rules', QUICK], env })
  expect([...of(report, 'fail'), ...of(report, 'inconclusive')]).toEqual([])
  const groups = (verdict: string) => new Set(of(report, verdict).map(({ id }) => ruleById(id)?.group))
  expect([...groups('skipped')]).not.toContain('paging')
  expect([...groups('pass')]).toEqual(expect.arrayContaining(['wire', 'paging', 'access', 'auth', 'ws']))
})

test('elsewhere, a target is only read until the command line confirms more', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const baseUrl = given.stub.profile.baseUrl.replace('127.0.0.1', ELSEWHERE)
  given.writeProfile({ more: { baseUrl, control: null, allow: { load: true, mutations: true } } })
  const env = { BREAKWATER_API_TOKENS: given.stub.apiTokens[0] ?? '' }
  const args = ['--rules', 'wire.*,auth.logout.*,auth.csrf.*,rate-limit.*']
  const { stderr, report } = await smoke({ cwd, args, env })
  expect(stderr).toContain(`changes: no: ${ELSEWHERE}: the command line does not confirm`)
  expect(new Set((await requestsOf(given)).map(({ method }) => method))).toEqual(new Set(['GET']))
  expect(ids(of(report, 'fail'))).toEqual([])
  expect(ids(of(report, 'pass'))).toContain('wire.pools.record')
  const logout = report.rules.find(({ id }) => id === 'auth.logout.current-only')
  expect(logout).toMatchObject({
    verdict: 'skipped',
    reason: `${ELSEWHERE}: the command line does not confirm to change anything (--confirm ${ELSEWHERE})`,
  })
  expect(report.rules.find(({ id }) => id === 'rate-limit.burst.429')).toMatchObject({
    verdict: 'skipped',
    reason: expect.stringContaining('does not confirm a load'),
  })
})

test('elsewhere, what is allowed and confirmed is done', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const baseUrl = given.stub.profile.baseUrl.replace('127.0.0.1', ELSEWHERE)
  given.writeProfile({ more: { baseUrl, control: null, allow: { load: false, mutations: true } } })
  const { report } = await smoke({ cwd, args: ['--rules', 'auth.logout.*', '--confirm', ELSEWHERE] })
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
})

test('sends no more requests than it may, ends what it began, and says what is open', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const before = (await requestsOf(given)).length
  const { report } = await smoke({ cwd, args: ['--rules', QUICK, '--max-requests', '80'] })
  const sent = (await requestsOf(given)).slice(before)
  // One is that of the command itself, which looks whether the target is there.
  expect(sent.length).toBeLessThanOrEqual(81)
  expect(ids(of(report, 'fail'))).toEqual([])
  expect(of(report, 'inconclusive').map(({ reason }) => reason)).toContain(
    'the run has sent what it may of 80 requests (--max-requests)',
  )
  const count = (route: string) => sent.filter((one) => one.route === route && one.method === 'POST').length
  expect(count('/auth/logout')).toBeGreaterThan(0)
})

test('load and probes together send no more than they may', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const { stderr } = await smoke({
    cwd,
    args: ['--rules', 'paging.*', '--max-requests', '200'],
    load: true,
  })
  expect(stderr).toContain('at most 200 requests, and 300 s\n')
  expect(stderr).toContain('load: the mix smoke, 16 s\n')
  const sent = (await requestsOf(given)).length
  expect(sent).toBeGreaterThan(50)
  expect(sent).toBeLessThanOrEqual(201)
})

test('ends when its time is over, and says what is open', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const { exitCode, report } = await smoke({
    cwd,
    args: ['--rules', 'ws.ticket.lives-60s,auth.challenge.shape', '--max-duration', '10'],
  })
  expect(report.rules).toMatchObject([
    { id: 'auth.challenge.shape', verdict: 'pass' },
    {
      id: 'ws.ticket.lives-60s',
      verdict: 'inconclusive',
      reason: 'the 10 s that the run may take were over (--max-duration)',
    },
  ])
  expect(exitCode).toBe(0)
})
