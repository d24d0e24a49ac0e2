// Real runs against a stub as target: their effects on it, and what they judge with few credentials.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Report, reportSchema } from '../../contract/report.ts'
import { ruleById } from '../../contract/rules.ts'
import { type GivenStub, givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine, writeShortMix } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { projectPath } from '../project.ts'

const TIMEOUT = { timeout: 180_000 }
const QUICK =
  'wire.*,paging.*,access.*,auth.*,api-token.*,admin.*,referral.*,ws.sync.answered,ws.ticket.by-*,ws.auth.rejects-*'

/** IPv4-mapped IPv6: an address of this machine that does not look local. */
const ELSEWHERE = '[::ffff:7f00:1]'

async function smoke(options: {
  cwd: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  load?: true
}): Promise<{ exitCode: number; stderr: string; report: Report }> {
  const { cwd, args, env = {}, load } = options
  const noLoad = load ? ['--mix', writeShortMix(cwd)] : ['--no-load']
  const argv = ['smoke', '--target', 'profile.json', ...noLoad, '--output', 'run', ...args]
  const clean = { ...process.env, BREAKWATER_API_TOKENS: '', BREAKWATER_CONTROL_TOKEN: '' }
  const { exitCode, stderr } = await runCommandLine(argv, { cwd, env: { ...clean, ...env } })
  const report = reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'run/report.json'), 'utf8')))
  return { exitCode, stderr, report }
}

const of = ({ rules }: Report, verdict: string) => rules.filter((rule) => rule.verdict === verdict)
const ids = (rules: readonly { id: string }[]) => rules.map(({ id }) => id)

test('with a control API its clock is moved and reset', TIMEOUT, async () => {
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
  expect(stderr).toContain('control API: moves the clock of the target and restores it')
  const after = Date.now() - Number((await given.control('/status')).nowMs)
  // Without the reset it is ahead by an hour.
  expect(Math.abs(after - before)).toBeLessThan(120_000)
  expect(await given.control('/status')).toMatchObject({ sockets: 0 })
})

async function readTokenCount({ stub }: GivenStub): Promise<string | undefined> {
  const text = await (await fetch(stub.profile.metrics ?? '')).text()
  return /^breakwater_api_tokens (\d+)$/m.exec(text)?.[1]
}

test('with one wallet nearly all rules are judged, and none fails', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const [wallet] = given.stub.wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  given.writeProfile({ wallets: wallet ? [wallet] : [], more: { control: null } })
  const before = await readTokenCount(given)
  const { report } = await smoke({ cwd, args: ['--rules', QUICK] })
  expect([...of(report, 'fail'), ...of(report, 'inconclusive')]).toEqual([])
  const quick = report.rules.filter(({ id }) => ruleById(id)?.takes === 'moments' && !id.startsWith('admin.'))
  const skipped = quick.filter(({ verdict }) => verdict === 'skipped')
  expect(skipped.length / quick.length).toBeLessThan(0.1)
  for (const { reason } of skipped) expect(reason).toMatch(/wallet/)
  // Rules that need an API token create one and revoke it.
  for (const id of ['ws.auth.rejects-api-token', 'ws.ticket.by-api-token', 'api-token.bearer.works'])
    expect(ids(of(report, 'pass'))).toContain(id)
  // A probe takes the wallet that its rules are about before any other.
  for (const id of [
    'auth.verify.signs-in',
    'auth.verify.body',
    'auth.cookies.http-only',
    'auth.sessions.list',
  ])
    expect(ids(of(report, 'pass'))).toContain(id)
  expect(before).toMatch(/^\d+$/)
  expect(await readTokenCount(given)).toBe(before)
})

test('with API tokens alone, rules without sign-in are judged', TIMEOUT, async () => {
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

test('a remote target is read-only until the command line confirms more', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const baseUrl = given.stub.profile.baseUrl.replace('127.0.0.1', ELSEWHERE)
  given.writeProfile({ more: { baseUrl, control: null, allow: { load: true, mutations: true } } })
  const env = { BREAKWATER_API_TOKENS: given.stub.apiTokens[0] ?? '' }
  const bearer = 'api-token.bearer.*,api-token.covers.data,ws.auth.rejects-api-token,ws.ticket.by-api-token'
  const args = ['--rules', `wire.*,auth.logout.*,auth.csrf.*,rate-limit.*,${bearer}`]
  const { stderr, report } = await smoke({ cwd, args, env })
  expect(stderr).toContain(`changes: no: ${ELSEWHERE}: the command line does not confirm`)
  expect(new Set((await given.requests()).map(({ method }) => method))).toEqual(new Set(['GET']))
  expect(ids(of(report, 'fail'))).toEqual([])
  expect(ids(of(report, 'pass'))).toContain('wire.pools.record')
  // Rules that need an API token use the given one.
  const byToken = report.rules.filter(({ id }) => /^(api-token\.|ws\.)/.test(id))
  expect(byToken.map(({ verdict }) => verdict)).toEqual(byToken.map(() => 'pass'))
  expect(byToken).toHaveLength(5)
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

test(
  'elsewhere, without leave to sign in and without an API token, it says that one of them is needed',
  TIMEOUT,
  async () => {
    const cwd = temporaryFolder()
    const given = await givenStub(cwd)
    const baseUrl = given.stub.profile.baseUrl.replace('127.0.0.1', ELSEWHERE)
    given.writeProfile({ more: { baseUrl, control: null, allow: { load: true, mutations: false } } })
    const args = ['--confirm', ELSEWHERE, '--rules', 'route.*,api-token.bearer.works,wire.swaps.record']
    const { report } = await smoke({ cwd, args })
    const refused = `${ELSEWHERE}: the profile does not allow to change anything (allow.mutations)`
    const findReason = (id: string) => report.rules.find((rule) => rule.id === id)?.reason
    expect(findReason('wire.swaps.record')).toBe(
      `needs an API token (BREAKWATER_API_TOKENS), because signing in changes state: ${refused}`,
    )
    expect(findReason('api-token.bearer.works')).toBe(
      `needs an API token (BREAKWATER_API_TOKENS), and none may be created: ${refused}`,
    )
    // Rejecting missing credentials shows without any.
    expect(ids(of(report, 'pass'))).toEqual([
      'route.credentials.missing-401',
      'route.credentials.invalid-401',
    ])
  },
)

test.each([
  { mutant: null, expected: { verdict: 'pass', observed: '404 for an unlisted token' } },
  {
    mutant: 'route-none-400' as const,
    expected: {
      verdict: 'inconclusive',
      reason: 'every pair of listed tokens has a route, and 400 for an unlisted token',
    },
  },
])(
  'if every pair of tokens has a route, one that is not listed is tried: mutant $mutant',
  TIMEOUT,
  async ({ mutant, expected }) => {
    const cwd = temporaryFolder()
    const tiny = JSON.parse(readFileSync(projectPath('fixtures/worlds/tiny.json'), 'utf8'))
    const world = join(cwd, 'joined.json')
    writeFileSync(world, JSON.stringify({ ...tiny, tokens: { ...tiny.tokens, tail: 0, unpooled: 0 } }))
    const given = await givenStub(cwd, { world, mutant })
    given.writeProfile({ more: { control: null } })
    const { report } = await smoke({ cwd, args: ['--rules', 'route.none.404'] })
    expect(report.rules).toMatchObject([expected])
  },
)

test('a remote target gets what is allowed and confirmed', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  const baseUrl = given.stub.profile.baseUrl.replace('127.0.0.1', ELSEWHERE)
  given.writeProfile({ more: { baseUrl, control: null, allow: { load: false, mutations: true } } })
  const { report } = await smoke({
    cwd,
    args: [
      '--rules',
      IN_FULL ? 'auth.logout.*,route.revision.catches-up' : 'auth.logout.*',
      '--confirm',
      ELSEWHERE,
    ],
  })
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
})

test('respects the request limit, ends open sessions, and lists unjudged rules', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const before = (await given.requests()).length
  const { report } = await smoke({ cwd, args: ['--rules', QUICK, '--max-requests', '80'] })
  const sent = (await given.requests()).slice(before)
  // One is the command's own check of the target.
  expect(sent.length).toBeLessThanOrEqual(81)
  expect(ids(of(report, 'fail'))).toEqual([])
  expect(of(report, 'inconclusive').map(({ reason }) => reason)).toContain(
    'the probes sent the 72 requests allowed, and 8 more are reserved for ending sessions and tokens (--max-requests 80)',
  )
  const count = (route: string) => sent.filter((one) => one.route === route && one.method === 'POST').length
  expect(count('/auth/logout')).toBeGreaterThan(0)
})

test('load and probes share the request limit', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const before = await readTokenCount(given)
  const { stderr } = await smoke({
    cwd,
    args: ['--rules', 'paging.*', '--max-requests', '200'],
    load: true,
  })
  expect(stderr).toContain('at most 200 requests, and 300 s\n')
  expect(stderr).toContain('load: the mix smoke, 4 s\n')
  expect(stderr).toContain('created API tokens for the mix, to be revoked at the end: 1\n')
  expect(await readTokenCount(given)).toBe(before)
  const sent = (await given.requests()).length
  expect(sent).toBeGreaterThan(50)
  expect(sent).toBeLessThanOrEqual(201)
})

/** A burst of more than an equal share of the requests for each lane of probes. */
const BURST_OF_400 = { burst: 400, perSecond: 25, per: 'credential' } as const

test('judges a rate limit with a burst of 400 next to the load and all probes', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd, { rateLimit: BURST_OF_400 })
  given.writeProfile({ more: { control: null } })
  const { report } = await smoke({
    cwd,
    args: ['--rules', IN_FULL ? 'rate-limit.*,wire.*,paging.*' : 'rate-limit.*,wire.*'],
    load: true,
  })
  expect(of(report, 'fail')).toEqual([])
  const limits = report.rules.filter(({ id }) => id.startsWith('rate-limit.'))
  expect(limits).toMatchObject([{ verdict: 'pass' }, { verdict: 'pass' }])
})

test('reports how many requests a burst needs if the run may not send them', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd, { rateLimit: BURST_OF_400 })
  given.writeProfile({ more: { control: null } })
  const args = ['--rules', 'rate-limit.*', '--max-requests', '1500']
  const { report } = await smoke({ cwd, args })
  const [rule] = report.rules
  expect(rule?.verdict).toBe('inconclusive')
  expect(rule?.reason).toMatch(
    /^a burst of 400, with 1000 requests for other probes, takes up to 1820 requests, but the probes may send only 14\d\d more \(--max-requests 1500\)$/,
  )
})

test('ends after its time limit, and lists unjudged rules', TIMEOUT, async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const { exitCode, report } = await smoke({
    cwd,
    args: ['--rules', 'ws.ticket.lives-60s,auth.challenge.shape', '--max-duration', '10s'],
  })
  expect(report.rules).toMatchObject([
    { id: 'auth.challenge.shape', verdict: 'pass' },
    {
      id: 'ws.ticket.lives-60s',
      verdict: 'inconclusive',
      reason: "the run's time limit of 10 s was reached (--max-duration)",
    },
  ])
  expect(exitCode).toBe(0)
})
