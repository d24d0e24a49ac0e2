import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { refreshRules } from './refresh.ts'

// Modules that need k6.
vi.mock('../lib/identity/session.ts', () => ({
  mustHaveSentCsrf() {},
  refresh: async () => ({ status: 401, cookies: [], evidence: () => '' }),
  withSession: (_: Target, __: object, use: (session: object) => Promise<void>) =>
    use({ cookies: new Map([['refresh', 'R']]) }),
}))
vi.mock('../lib/identity/still-served.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({ walletFor: () => ({}) }))
vi.mock('../lib/requests/request.ts', () => ({ isSuccess: ({ status }: Reply) => status === 200 }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./refresh-cookie.ts', () => ({}))
vi.mock('./session-checks.ts', () => ({}))

test('if no refresh succeeds, the other rules state that as the reason', async () => {
  const cookies = { access: 'access', refresh: 'refresh' }
  const target = { profile: { choices: { cookies } } } as Target // as: all that is read
  const found: Record<string, string> = {}
  await judgeProbe({
    rules: refreshRules.rules,
    getExpected: () => '',
    run: (judge) => refreshRules.run(target, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict, observed, reason }) => {
      found[rule] = `${verdict}: ${reason ?? observed}`
    },
  })
  expect(found).toEqual({
    'auth.refresh.rotates': 'fail: 401, no new refresh cookie',
    'auth.refresh.sets-access': 'inconclusive: the refresh was rejected',
    'auth.refresh.http-only': 'inconclusive: the refresh set neither cookie',
    'auth.refresh.needs-cookie': 'inconclusive: the refresh was rejected',
  })
})
