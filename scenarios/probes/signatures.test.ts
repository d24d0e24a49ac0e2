import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeLeftAlone } from './signatures.ts'

const RULE = 'auth.verify.rejects-forged'

const stub = vi.hoisted(() => ({ status: 401, outcome: 'refused', shares: false, signIns: 0 }))

const reply = { evidence: () => '' }
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/session.ts', () => ({
  credentialRead: () => ({}),
  getCredential: (name: unknown) => name,
  async withSession(_: Target, __: object, use: (name: string) => Promise<void>) {
    stub.signIns++
    await use('new')
  },
}))
vi.mock('../lib/identity/shared-wallets.ts', () => ({ sharesWallets: () => stub.shares }))
vi.mock('../lib/identity/signing.ts', () => ({}))
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async (_: Target, name: string, { witness }: { witness: string }) => ({
    outcome: stub.outcome,
    reply,
    explanation: `${name} with ${witness}`,
  }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({ request: async () => ({ status: stub.status }) }))

beforeEach(() => Object.assign(stub, { status: 401, outcome: 'refused', shares: false, signIns: 0 }))

async function verdict(state: Partial<typeof stub>): Promise<string> {
  Object.assign(stub, state)
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeLeftAlone({} as Target, judge, 'first' as never), // as: unused by the mocks, and a name
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test('a session that wrong signatures end is reported, with a new one as witness', async () => {
  expect(await verdict({})).toBe('fail wrong signatures end a session of the wallet: first with new')
})

test.each<[what: string, state: Partial<typeof stub>, signIns: number]>([
  ['a session that is served', { status: 200 }, 0],
  ['an error', { status: 503 }, 0],
  ['a wallet that other probes use', { shares: true }, 0],
  ['a transient rejection', { outcome: 'served' }, 1],
  ['a rejection of the witness too', { outcome: 'unclear' }, 1],
])('%s is not reported', async (_, state, signIns) => {
  expect(await verdict(state)).toBe('inconclusive')
  expect(stub.signIns).toBe(signIns)
})
