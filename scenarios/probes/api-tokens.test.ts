import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { foreignRevoke } from './api-tokens.ts'

const stub = vi.hoisted(() => ({ said: [] as unknown[], isRevoked: false }))

const replyOf = (status: number, data: unknown = {}) => ({
  status,
  json: { data },
  evidence: () => String(status),
})
// Modules that need k6. Credentials are names.
vi.mock('../lib/identity/api-token.ts', () => ({
  listApiTokens: async () => replyOf(200),
  async revokeApiToken(_: Target, { credential }: { credential: string }) {
    if (credential === 'owner') {
      stub.isRevoked = true
      return replyOf(200, { revoked: true })
    }
    const revoked = stub.said.length > 1 ? stub.said.shift() : stub.said[0]
    return replyOf(200, { revoked })
  },
  withApiToken: (_: Target, __: string, use: (token: object) => Promise<void>) =>
    use({ id: '1', bearer: 'b' }),
}))
vi.mock('../lib/identity/session.ts', () => ({
  isAlive: async () => ({ alive: !stub.isRevoked }),
  requireFullCredential: (session: string) => session,
  withSession: (_: Target, wallet: string, use: (session: string) => Promise<void>) => use(wallet),
}))
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async () => ({ outcome: 'served', reply: replyOf(200), explanation: '' }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({ differentWallets: () => ['owner', 'another'] }))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
}))
vi.mock('../lib/time/has-control.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./api-token-checks.ts', () => ({}))
vi.mock('./reads-served.ts', () => ({}))
vi.mock('./token-list.ts', () => ({}))

test.each([
  { said: [true], verdict: 'fail' },
  { said: [true, false], verdict: 'pass' },
  { said: [false], verdict: 'pass' },
])('$verdict if another wallet that revokes the token gets revoked: $said', async ({ said, verdict }) => {
  Object.assign(stub, { said: [...said], isRevoked: false })
  const found: string[] = []
  await judgeProbe({
    rules: foreignRevoke.rules,
    getExpected: () => '',
    run: (judge) => foreignRevoke.run({} as Target, judge), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => found.push(finding.verdict),
  })
  expect(found).toEqual([verdict])
})
