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
  /** Tokens of sessions that revoke others, and the ids that they revoke; the id of a session is its token. */
  revocations: [] as string[],
  /** Ended by a request that is rejected: a session or an API token, by name. */
  ended: [] as string[],
  shares: false,
}))

type Sent = { path: string; credential: { csrf?: string; own: string } }

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
vi.mock('../lib/identity/session-list.ts', () => ({
  listSessions: async () => ({ ids: [...stub.live].filter((id) => id.startsWith('own')).reverse() }),
}))
vi.mock('../lib/identity/api-token.ts', () => ({
  postApiToken: async () => undefined,
  createdToken: async () => ({ id: 'id', bearer: { bearer: 'token' } }),
}))
vi.mock('../lib/identity/shared-wallets.ts', () => ({ sharesWallets: () => stub.shares }))
vi.mock('../lib/identity/still-served.ts', () => ({
  async isStillServed(_: Target, { own, bearer }: { own?: string; bearer?: string }) {
    const isEnded = stub.ended.includes(bearer ?? own ?? '')
    return { outcome: isEnded ? 'refused' : 'served', reply: { evidence: () => '' }, explanation: 'seen' }
  },
}))
vi.mock('../lib/identity/wallet.ts', () => ({
  differentWallets: () => [{ address: 'own' }, { address: 'other' }],
  walletFor: () => ({ address: 'own' }),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { path, credential: { csrf = '', own } }: Sent) {
    const [, revoked] = /^\/auth\/sessions\/(.+)\/revoke$/.exec(decodeURIComponent(path)) ?? []
    if (revoked !== undefined) stub.revocations.push(`${revoked} by ${own}`)
    if (revoked === own) return { status: 400, evidence: () => '' }
    const isLive = stub.live.has(csrf) && stub.accepts.some((wallet) => csrf.startsWith(wallet))
    return { status: csrf === own || isLive ? 200 : 403, evidence: () => '' }
  },
}))

beforeEach(() =>
  Object.assign(stub, {
    accepts: [],
    started: 0,
    live: new Set(),
    revocations: [],
    ended: [],
    shares: false,
  }),
)

async function verdict(sessions: object = { list: null, id: null }): Promise<string> {
  const target = { profile: { choices: { sessions } } } as Target // as: all that is read
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

test('a session revokes another one, because a server may reject the revocation of the own', async () => {
  expect(await verdict({ list: 'data', id: 'id' })).toMatch(/^pass: .* POST \/auth\/sessions\//)
  expect(new Set(stub.revocations)).toEqual(new Set(['own 6 by own 7']))
})

const ENDED =
  /^fail: .* with wrong tokens returned 403, 403, 403, but (a session|an API token) of the wallet has ended/

test.each([
  ['the API token that it was to revoke', 'token', {}, ENDED],
  ['its own session', 'own 3', {}, ENDED],
  ['the session that it was to revoke', 'own 6', {}, ENDED],
  ['a session that another probe may have ended', 'own 3', { shares: true }, /^pass: /],
])('a rejected request ends %s', async (_, ended, state, expected) => {
  Object.assign(stub, { ended: [ended] }, state)
  expect(await verdict({ list: 'data', id: 'id' })).toMatch(expected)
})
