import { expect, test, vi } from 'vitest'
import type { Wallet } from '../../contract/profile.ts'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { faucet } from './faucet.ts'

const exchange = vi.hoisted(() => ({ nowMs: 0, msPerRequest: 0, claimedMs: new Map<string, number>() }))

const take = (requests: number) => {
  exchange.nowMs += requests * exchange.msPerRequest
}
// Modules that need k6. The faucet accepts a claim per address in 15 minutes.
vi.mock('../lib/identity/session.ts', () => ({
  async withSession(_: Target, { address }: Wallet, use: (session: unknown) => Promise<void>) {
    take(2)
    await use(address)
    take(1)
  },
  requireFullCredential: (session: string) => ({ bearer: session }),
}))
vi.mock('../lib/identity/api-token.ts', () => ({
  async withApiToken(_: Target, __: unknown, use: (token: object) => Promise<void>) {
    take(1)
    await use({ bearer: {} })
    take(1)
  },
}))
vi.mock('../lib/identity/wallet.ts', () => ({ walletFor: (_: Target, use: string) => ({ address: use }) }))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/patient.ts', () => ({ GaveUp: class {} }))
vi.mock('../lib/world/control.ts', () => {
  const elapse = async (_: Target, ms: number) => {
    exchange.nowMs += ms
    return ms
  }
  const mustBeAbleToWait = () => {}
  return {
    nowMs: async () => exchange.nowMs,
    canWait: () => true,
    mustBeAbleToWait,
    elapse,
    elapseLong: elapse,
  }
})
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { body }: { body: object }) {
    take(1)
    const [address] = Object.values(body)
    const { nowMs, claimedMs } = exchange
    const isOpen = !address.endsWith(' ') && nowMs - (claimedMs.get(address) ?? -Infinity) >= 15 * 60_000
    if (isOpen) claimedMs.set(address, nowMs)
    return { status: isOpen ? 200 : 409, text: '', evidence: () => '' }
  },
}))
vi.mock('../lib/time/has-control.ts', () => ({ hasControl: () => false }))

test.each([
  [0, 'pass 409 after 14 minutes'],
  [2500, 'pass 409 after 14 minutes'],
  [5000, 'inconclusive 905000 ms had passed, too many to judge'],
])('with %i ms per request, the claim after 14 minutes: %s', async (msPerRequest, expected) => {
  Object.assign(exchange, { nowMs: 0, msPerRequest, claimedMs: new Map() })
  const urls = { baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }
  const choices = { faucet: { path: '/faucet', address: 'address', access: 'cred' } }
  const profile = profileSchema.parse({ name: 'test', ...urls, choices })
  const found = new Map<string, string>()
  await judgeProbe({
    rules: faucet.rules,
    getExpected: () => '',
    run: (judge) => faucet.run({ profile } as Target, judge), // as: all that is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict, observed, reason }) => void found.set(rule, `${verdict} ${reason ?? observed}`),
  })
  expect(found.get('faucet.claim.still-refused')).toBe(expected)
  expect(found.get('faucet.claim.again')).toBe('pass 200 after 16 minutes')
})
