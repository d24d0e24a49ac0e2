import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Credential } from '../requests/request.ts'
import { withEachCredential } from './each-credential.ts'

const stub = vi.hoisted(() => ({
  forReads: { bearer: 'ss_1' } as Credential,
  refuses: { writes: null as string | null },
}))

vi.mock('../config.ts', () => ({ config: { refuses: stub.refuses } }))
vi.mock('./credential.ts', () => ({ readCredential: async () => stub.forReads }))
vi.mock('./wallet.ts', () => ({ walletFor: () => ({}) }))
vi.mock('./session.ts', () => ({
  withSession: (_: Target, __: unknown, use: (session: object) => Promise<void>) => use({}),
  getCredential: () => ({ cookie: 'a=1', csrf: undefined }),
}))

beforeEach(() => {
  stub.forReads = { bearer: 'ss_1' }
  stub.refuses.writes = null
})

async function kinds(wallets: readonly object[]) {
  const seen: string[] = []
  const target = { wallets } as unknown as Target // as: the only part used
  await withEachCredential(target, async (credential, kind) => {
    seen.push(`${kind}: ${Object.keys(credential)[0]}`)
  })
  return seen
}

const WALLET = { hasAccess: true }

test('runs with an API token, then with a session', async () => {
  expect(await kinds([WALLET])).toEqual(['API token: bearer', 'session: cookie'])
})

test('runs once with a session if there is no API token', async () => {
  stub.forReads = { cookie: 'a=1', csrf: undefined }
  expect(await kinds([WALLET])).toEqual(['session: cookie'])
})

test('skips the session if writes are forbidden, or no wallet has access', async () => {
  expect(await kinds([])).toEqual(['API token: bearer'])
  stub.refuses.writes = 'not allowed'
  expect(await kinds([WALLET])).toEqual(['API token: bearer'])
})
