import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { type Judge, judgeProbe } from '../lib/verdict/judge.ts'
import { logoutAll } from './logout-all.ts'

const ALL = ['own 1', 'own 2', 'own 3', 'other 1']

type Refusal = { rule: string; ended: string; witness: string }

const stub = vi.hoisted(() => ({
  started: [] as string[],
  ended: [] as string[],
  /** Sessions that logout-all ends. */
  ends: [] as string[],
  loggedOutBy: '',
  waited: '',
  wallets: { logoutAll: 'own', refreshEnds: 'other' } as Record<string, string>,
  servedReads: 0,
  /** Status of a read with a session that has ended. */
  endedStatus: 401,
}))

const reply = { status: 200, evidence: () => '' }
vi.mock('../lib/world/control.ts', () => ({
  async elapse(_: Target, ms: number) {
    stub.waited = `${ms} ms after ${stub.started.join(', ')}`
  },
}))
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/session.ts', () => {
  // A name has no wallet: that of the probe then.
  const start = ({ address } = { address: 'own' }) => {
    const name = `${address} ${stub.started.filter((one) => one.startsWith(address)).length + 1}`
    stub.started.push(name)
    return name
  }
  const endSession = async (_: Target, name: string) => void stub.ended.push(name)
  return {
    credentialRead: (_: Target, credential: string) => ({ path: '/swaps', credential }),
    endSession,
    getCredential: (name: unknown) => name,
    isAlive: async (_: Target, name: string) => ({ alive: !stub.ended.includes(name), reply }),
    refreshTwice: async () => {},
    requireFullCredential: (name: unknown) => name,
    signIn: async (_: Target, wallet: { address: string }) => start(wallet),
    startSession: () => start({ address: 'own' }),
    verifyPatiently: async () => reply,
    async withSession(target: Target, wallet: { address: string }, use: (name: string) => Promise<void>) {
      const name = start(wallet)
      await use(name).finally(() => endSession(target, name))
    },
  }
})
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async (_: Target, name: string, { witness }: { witness: string }) => ({
    outcome: stub.ended.includes(name) ? 'refused' : 'served',
    reply,
    explanation: `${name} with ${witness}`,
  }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({
  walletFor: (_: Target, use: string) => ({ address: stub.wallets[use] }),
}))
vi.mock('../lib/identity/shared-wallets.ts', () => ({ sharesWallets: () => false }))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { path, credential }: { path?: string; credential?: string }) {
    if (path === '/auth/logout-all') {
      stub.ended.push(...stub.ends)
      stub.loggedOutBy = credential ?? ''
    }
    const isEnded = path === '/swaps' && stub.ended.includes(credential ?? '')
    return isEnded ? { ...reply, status: stub.endedStatus } : reply
  },
}))
vi.mock('./reads-served.ts', () => ({
  readAll: async () => {},
  readsServedTo: async () => Array(stub.servedReads).fill(reply),
}))
vi.mock('./session-checks.ts', () => ({
  async aliveness(_: Target, named: Record<string, string>) {
    const states = Object.entries(named).map(
      ([name, session]) => `${name}: ${stub.ended.includes(session) ? 'ended' : 'alive'}`,
    )
    return { text: states.join(', '), evidence: [] }
  },
  async judgeRefusal(_: Target, judge: Judge, { rule, ended, witness }: Refusal) {
    judge.fail(rule, `${ended} gets ${stub.endedStatus}, with ${witness}`)
  },
  judgeToken: async () => {},
  makeToken: async () => undefined,
}))

beforeEach(() => {
  const wallets = { logoutAll: 'own', refreshEnds: 'other' }
  Object.assign(stub, {
    started: [],
    ended: [],
    ends: ALL.slice(0, 3),
    wallets,
    servedReads: 0,
    endedStatus: 401,
  })
})

async function verdict(): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: logoutAll.rules,
    getExpected: () => '',
    run: (judge) => logoutAll.run({} as Target, judge), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      found = `${verdict}: ${reason ?? observed}`
    },
  })
  return found
}

const ENDED = 'older: ended, caller: ended, newer: ended'
const AFTER = '; the newer one then gets 0 reads'

test('the second of three sessions logs all out, and every session is ended at the end', async () => {
  expect(await verdict()).toBe(`pass: 200; ${ENDED}${AFTER}`)
  expect(stub.loggedOutBy).toBe('own 2')
  expect(stub.waited).toBe('10000 ms after other 1, own 1')
  expect(new Set(stub.ended)).toEqual(new Set(stub.started))
  expect(stub.started).toHaveLength(5)
})

test.each([
  [['own 2', 'own 3'], 'older: alive, caller: ended, newer: ended'],
  [['own 1', 'own 2'], 'older: ended, caller: ended, newer: alive'],
  [['own 1', 'own 3'], 'older: ended, caller: alive, newer: ended'],
])('only %j end', async (ends, states) => {
  Object.assign(stub, { ends })
  expect(await verdict()).toBe(`fail: 200; ${states}${AFTER}`)
})

test('the session of another wallet ends too', async () => {
  Object.assign(stub, { ends: ALL })
  expect(await verdict()).toBe('fail: a session of another wallet ends too: other 1 with own 4')
})

test('reads are served after the end', async () => {
  Object.assign(stub, { servedReads: 1 })
  expect(await verdict()).toBe(`fail: 200; ${ENDED}; the newer one then gets 1 reads`)
})

test('a session that ended gets another rejection than 401: a new session is the witness', async () => {
  Object.assign(stub, { endedStatus: 403 })
  expect(await verdict()).toBe('fail: own 3 gets 403, with own 4')
  expect(new Set(stub.ended)).toEqual(new Set(stub.started))
})

test('a session that begins afterwards is rejected', async () => {
  Object.assign(stub, { ends: [...ALL.slice(0, 3), 'own 4'] })
  expect(await verdict()).toBe('fail: then a new session of the wallet is rejected: own 4 with other 1')
})

test('a target with one wallet has no session of another', async () => {
  Object.assign(stub, { wallets: { logoutAll: 'own', refreshEnds: 'own' } })
  expect(await verdict()).toBe(`pass: 200; ${ENDED}${AFTER}`)
  expect(stub.started).toHaveLength(4)
})
