import { beforeEach, expect, test, vi } from 'vitest'
import type { Wallet } from '../../contract/profile.ts'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { CannotJudge, CannotProbe, judgeProbe } from '../lib/verdict/judge.ts'
import { faucet } from './faucet.ts'
import { isSentTo, judgeByToken, judgeOtherCaller } from './faucet-twice.ts'

const WALLETS = { reads: { address: 'bw1b' } }

vi.mock('../lib/identity/api-token.ts', () => ({
  withApiToken: (_: Target, { bearer }: { bearer: string }, use: (token: unknown) => Promise<void>) =>
    use({ bearer: { bearer: `a token of ${bearer}` } }),
}))
vi.mock('../lib/identity/session.ts', () => ({
  withSession: (_: Target, { address }: Wallet, use: (session: unknown) => Promise<void>) => use(address),
  requireFullCredential: (session: string) => ({ bearer: session }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({ walletFor: () => WALLETS.reads }))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/patient.ts', () => ({ GaveUp: class {} }))
vi.mock('../lib/world/control.ts', () => ({
  nowMs: async () => 0,
  mustBeAbleToWait() {
    throw new CannotProbe('use --include-slow', 'slow')
  },
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: Reply) => status === 200,
  async request() {
    throw new CannotJudge('the time limit was reached')
  },
}))
vi.mock('../lib/time/has-control.ts', () => ({}))

const RULE = 'faucet.claim.once'
const claims: string[] = []

beforeEach(() => claims.splice(0))

const FIRST = { address: 'bw1a', tx: 'at1qqqqqqqqqqqqqqqq1' }
const SECOND = JSON.stringify({ ...FIRST, tx: 'at1qqqqqqqqqqqqqqqq2' })
const replyWith = (status: number, text: string) =>
  ({ status, text, json: JSON.parse(text), evidence: () => '' }) as unknown as Reply // as: only these are read

/** Judges a second claim for bw1a, whose response has the status and text. */
async function judgeClaim(
  { status, text }: Pick<Reply, 'status' | 'text'>,
  { access = 'cred', claimants = ['bw1a', 'bw1c'], check = judgeOtherCaller } = {},
) {
  const urls = { baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }
  const profile = profileSchema.parse({ name: 'test', ...urls, choices: { faucet: { access } } })
  const [wallet, ...others] = claimants.map((address) => ({ address }) as Wallet) // as: only the address is read
  if (wallet === undefined) throw new Error('no claimant')
  const verdicts: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => {
      await check({ profile } as Target, judge, {
        wallet,
        accepted: replyWith(200, JSON.stringify(FIRST)),
        claimants: [wallet, ...others],
        claim: async ({ address }, credential) => {
          claims.push(`${address} by ${'bearer' in credential ? credential.bearer : ''}`)
          return replyWith(status, text)
        },
      })
      judge.pass(RULE, 'rejected')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

test.each([
  { status: 200, text: SECOND, verdict: 'fail' },
  { status: 200, text: JSON.stringify(FIRST), verdict: 'pass' },
  { status: 200, text: '{"status":"broadcast"}', verdict: 'pass' },
  { status: 429, text: '{"error":"claimed for bw1a"}', verdict: 'pass' },
  { status: 403, text: '{"error":"only for bw1a"}', verdict: 'pass' },
])('$verdict if another caller gets $status with $text', async ({ verdict, ...reply }) => {
  expect(await judgeClaim(reply)).toBe(verdict)
  expect(claims).toEqual(['bw1a by bw1b'])
})

test.each([
  { status: 200, text: SECOND, verdict: 'fail' },
  { status: 200, text: JSON.stringify(FIRST), verdict: 'pass' },
  { status: 403, text: '{"error":"a session is required"}', verdict: 'pass' },
])('$verdict if an API token of the wallet gets $status with $text', async ({ verdict, ...reply }) => {
  expect(await judgeClaim(reply, { check: judgeByToken })).toBe(verdict)
  expect(claims).toEqual(['bw1a by a token of bw1a'])
})

test.each([
  { why: 'a public faucet', options: { access: 'public' } },
  { why: 'a caller that claims for itself too', options: { claimants: ['bw1a', 'bw1b'] } },
])('sends no claim for $why', async ({ options }) => {
  expect(await judgeClaim({ status: 200, text: SECOND }, options)).toBe('pass')
  expect(claims).toEqual([])
})

test.each([
  { text: '{"data":{"address":"BW1A"}}', sent: true },
  { text: '{"data":{"address":"bw1b"}}', sent: false },
  { text: '{"data":{"address":"bw1a","sender":"bw1b"}}', sent: false },
  { text: '{"data":{"status":"broadcast"}}', sent: false },
])('a claim for bw1a by bw1b that returns $text was sent to bw1a: $sent', ({ text, sent }) => {
  expect(isSentTo({ text }, { address: 'bw1a', caller: 'bw1b' })).toBe(sent)
})

test('rules that take minutes are skipped for that reason, whatever ends the probe', async () => {
  const urls = { baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }
  const found: string[] = []
  await judgeProbe({
    rules: faucet.rules,
    getExpected: () => '',
    run: (judge) => faucet.run({ profile: profileSchema.parse({ name: 'test', ...urls }) } as Target, judge), // as: all that is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict, reason }) => found.push(`${rule} ${verdict}: ${reason}`),
  })
  expect(found).toEqual([
    'faucet.claim.still-refused skipped: use --include-slow',
    'faucet.claim.again skipped: use --include-slow',
    'faucet.claim.accepted inconclusive: the time limit was reached',
    'faucet.claim.once inconclusive: the time limit was reached',
    'faucet.claim.per-address inconclusive: the time limit was reached',
  ])
})
