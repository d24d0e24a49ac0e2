import { beforeEach, expect, test, vi } from 'vitest'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { csrf } from './csrf.ts'

const stub = vi.hoisted(() => ({
  /** Tokens that are accepted instead of that of the session. */
  accepts: [] as string[],
  /** Live sessions, by their token. */
  live: new Set<string>(),
  started: 0,
}))

type Sent = { credential: { csrf?: string; own: string } }

// Modules that need k6. The token of a session names its wallet.
vi.mock('../lib/identity/session.ts', () => {
  const start = ({ address }: Wallet) => {
    const token = `${address} ${++stub.started}`
    stub.live.add(token)
    return { csrf: token }
  }
  const end = async (_: Target, session: { csrf: string }) => void stub.live.delete(session.csrf)
  const credential = ({ csrf }: { csrf: string }) => ({ csrf, own: csrf })
  return {
    endSession: end,
    getCredential: credential,
    isAlive: async () => ({ alive: true }),
    refresh: async () => ({ status: 401 }),
    requireFullCredential: credential,
    signIn: async (_: Target, wallet: Wallet) => start(wallet),
    async withSession(target: Target, wallet: Wallet, use: (session: object) => Promise<void>) {
      const session = start(wallet)
      await use(session).finally(() => end(target, session))
    },
  }
})
vi.mock('../lib/identity/api-token.ts', () => ({
  postApiToken: async () => undefined,
  createdToken: async () => ({ id: 'id' }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({
  differentWallets: () => [{ address: 'own' }, { address: 'other' }],
  walletFor: () => ({ address: 'own' }),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { credential: { csrf = '', own } }: Sent) {
    const isLive = stub.live.has(csrf) && stub.accepts.some((wallet) => csrf.startsWith(wallet))
    return { status: csrf === own || isLive ? 200 : 403, evidence: () => '' }
  },
}))

beforeEach(() => Object.assign(stub, { accepts: [], started: 0, live: new Set() }))

async function verdict(): Promise<string> {
  const target = { profile: { choices: { sessions: { list: null, id: null } } } } as Target // as: all that is read
  let found = ''
  await judgeProbe({
    rules: csrf.rules,
    getExpected: () => '',
    run: (judge) => csrf.run(target, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      found = `${verdict}: ${reason ?? observed}`
    },
  })
  expect(stub.live.size).toBe(0)
  return found
}

test('only the token of the session is accepted', async () => {
  expect(await verdict()).toMatch(/^pass: rejected without a token and with wrong ones/)
})

test('a token of the wallet from another session is accepted', async () => {
  stub.accepts = ['own']
  expect(await verdict()).toMatch(/^pass: /)
})

test('the token of a live session of another wallet is accepted', async () => {
  stub.accepts = ['other']
  expect(await verdict()).toMatch(/^inconclusive: accepted without the right token: POST \/auth\/logout, /)
})
