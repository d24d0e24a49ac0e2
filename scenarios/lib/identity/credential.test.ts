import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Credential } from '../requests/request.ts'
import { CannotJudge, CannotProbe } from '../verdict/judge.ts'
import {
  endReadSessions,
  listCredentials,
  otherCredential,
  readCredential,
  withEachCredential,
} from './credential.ts'

const stub = vi.hoisted(() => ({
  signedIn: 0,
  ended: 0,
  checked: 0,
  alive: true,
  rejected: [] as string[],
  verifyStatus: 200,
  error: undefined as unknown,
  refuses: { writes: null as string | null },
}))

// Modules that use k6.
vi.mock('../config.ts', () => ({ config: { refuses: stub.refuses } }))
vi.mock('./wallet.ts', () => ({ walletFor: () => ({ address: 'bw1' }) }))
vi.mock('../requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
}))
vi.mock('./session.ts', () => ({
  startSession: () => ({ number: 'denied' }),
  verifyWallet: async () => ({ status: stub.verifyStatus }),
  signIn: async () => ({ number: ++stub.signedIn }),
  getCredential: ({ number }: { number: number }) => ({ cookie: `session=${number}` }),
  endSession: async () => {
    stub.ended++
  },
  withSession: (_: Target, __: unknown, use: (session: object) => Promise<void>) => use({ number: 'other' }),
  isAlive: async (_: Target, credential: { bearer?: string }) => {
    stub.checked++
    if (stub.error) throw stub.error
    return {
      alive: stub.alive && !stub.rejected.includes(credential.bearer ?? ''),
      reply: { evidence: () => 'GET /swaps -> 401' },
    }
  },
}))

beforeEach(() =>
  Object.assign(stub, { signedIn: 0, ended: 0, checked: 0, alive: true, rejected: [], error: undefined }),
)
afterEach(endReadSessions)

const BASE = {
  profile: { baseUrl: 'http://127.0.0.1:1', credentials: { apiTokens: { env: 'TOKENS' } } },
  wallets: [{ address: 'bw1', hasAccess: true, admin: false }],
  apiTokens: [] as string[],
}
const WITHOUT_TOKEN = BASE as unknown as Target // as: the only parts used
const WITH_TOKEN = { ...BASE, apiTokens: ['ss_token'] } as unknown as Target

test('signs in once, and ends that session with the lane', async () => {
  expect(await readCredential(WITHOUT_TOKEN)).toEqual({ cookie: 'session=1' })
  expect(await readCredential(WITHOUT_TOKEN)).toEqual({ cookie: 'session=1' })
  await endReadSessions()
  expect(stub).toMatchObject({ signedIn: 1, checked: 1, ended: 1 })
})

test('signs in once for concurrent probes', async () => {
  await Promise.all([readCredential(WITHOUT_TOKEN), readCredential(WITHOUT_TOKEN)])
  await endReadSessions()
  expect(stub).toMatchObject({ signedIn: 1, ended: 1 })
})

test('a rejected API token gives way to another, or to a session, and is checked once', async () => {
  stub.rejected = ['ss_old', 'ss_older', 'ss_oldest']
  const withTokens = (...apiTokens: string[]) => ({ ...WITH_TOKEN, apiTokens })
  expect(await readCredential(withTokens('ss_old', 'ss_token'))).toEqual({ bearer: 'ss_token' })
  await endReadSessions()
  const ended = withTokens(...stub.rejected, 'ss_unchecked')
  for (const _ of [1, 2]) expect(await readCredential(ended)).toEqual({ cookie: 'session=1' })
  expect(stub).toMatchObject({ checked: 2 + 3 + 1, signedIn: 1 })
})

test('a rejected API token is never returned if a session is not possible, and checked once', async () => {
  stub.alive = false
  const target = { ...WITH_TOKEN, wallets: [] }
  for (const _ of [1, 2]) {
    await expect(readCredential(target)).rejects.toThrow(
      new CannotJudge('the credential for reads was rejected: GET /swaps -> 401'),
    )
  }
  expect(stub.checked).toBe(1)
})

test('a rejected session is ended anyway', async () => {
  stub.alive = false
  await expect(readCredential(WITHOUT_TOKEN)).rejects.toThrow(CannotJudge)
  await endReadSessions()
  expect(stub.ended).toBe(1)
})

test('a transient error is not cached: the next caller tries again', async () => {
  stub.error = new CannotJudge('after 4 tries: 503')
  await expect(readCredential(WITHOUT_TOKEN)).rejects.toThrow('after 4 tries')
  stub.error = undefined
  expect(await readCredential(WITHOUT_TOKEN)).toEqual({ cookie: 'session=2' })
  await endReadSessions()
  expect(stub.ended).toBe(2)
})

const denied = { address: 'bw2', hasAccess: false, admin: false }
const withDenied = (target: Target): Target => ({ ...target, wallets: [...target.wallets, denied] as never }) // as: the only parts used

test('lists an API token, a session and one without access, signs in once, and ends both sessions', async () => {
  const target = withDenied(WITH_TOKEN)
  const all = [{ bearer: 'ss_token' }, { cookie: 'session=1' }, { cookie: 'session=denied' }]
  expect(await listCredentials(target)).toEqual(all)
  expect(await listCredentials(target)).toEqual(all)
  await endReadSessions()
  expect(stub).toMatchObject({ signedIn: 1, ended: 2 })
  expect(await listCredentials(WITHOUT_TOKEN)).toEqual([{ cookie: 'session=2' }])
})

test('lists no session of a wallet that may not sign in, and only an API token if writes are refused', async () => {
  stub.verifyStatus = 403
  expect(await listCredentials(withDenied(WITHOUT_TOKEN))).toEqual([{ cookie: 'session=1' }])
  await endReadSessions()
  stub.verifyStatus = 200
  stub.refuses.writes = 'not allowed'
  const listed = await listCredentials(withDenied(WITH_TOKEN))
  stub.refuses.writes = null
  expect(listed).toEqual([{ bearer: 'ss_token' }])
})

test('signs in for another credential if writes are allowed, and ends that session with the lane', async () => {
  expect(await otherCredential(WITH_TOKEN)).toEqual({ cookie: 'session=1' })
  stub.refuses.writes = 'not allowed'
  const refused = await otherCredential(WITH_TOKEN)
  stub.refuses.writes = null
  expect(refused).toBeUndefined()
  await endReadSessions()
  expect(stub).toMatchObject({ signedIn: 1, ended: 1 })
})

test('without a token it reports what is missing: permission to sign in, or a wallet', async () => {
  stub.refuses.writes = 'exchange.example: the profile does not allow to change anything (allow.mutations)'
  const requested = readCredential(WITHOUT_TOKEN).finally(() => {
    stub.refuses.writes = null
  })
  await expect(requested).rejects.toEqual(
    new CannotProbe(
      `needs an API token (TOKENS), because signing in changes state: ${stub.refuses.writes}`,
      'token',
    ),
  )
  await expect(readCredential({ ...WITHOUT_TOKEN, wallets: [] })).rejects.toEqual(
    new CannotProbe('needs an API token (TOKENS) or a wallet with access (credentials.wallets)', 'token'),
  )
  expect(stub.signedIn).toBe(0)
})

async function listKinds(target: Target): Promise<string[]> {
  const seen: string[] = []
  await withEachCredential(target, async (credential: Credential, kind) => {
    seen.push(`${kind}: ${Object.keys(credential)[0]}`)
  })
  return seen
}

test('runs with an API token, then with a session', async () => {
  expect(await listKinds(WITH_TOKEN)).toEqual(['API token: bearer', 'session: cookie'])
})

test('runs once with a session if there is no API token', async () => {
  expect(await listKinds(WITHOUT_TOKEN)).toEqual(['session: cookie'])
})

test('skips the session if writes are forbidden, or no wallet has access', async () => {
  expect(await listKinds({ ...WITH_TOKEN, wallets: [] })).toEqual(['API token: bearer'])
  stub.refuses.writes = 'not allowed'
  const kinds = await listKinds(WITH_TOKEN)
  stub.refuses.writes = null
  expect(kinds).toEqual(['API token: bearer'])
})
