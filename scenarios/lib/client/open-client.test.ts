import { beforeEach, expect, test, vi } from 'vitest'
import { testTools } from '../../../client/test-tools.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Session } from '../identity/session.ts'
import type { Reply } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'
import { openClient } from './open-client.ts'

const time = testTools()
vi.mock('../duties/k6-tools.ts', () => ({
  get k6Tools() {
    return time.tools
  },
}))
vi.mock('../requests/request.ts', () => ({}))
vi.mock('../identity/session.ts', () => ({
  getCredential: () => CREDENTIAL,
  refreshSpec: () => ({ method: 'POST', path: '/auth/refresh', repeatable: true }),
  logoutSpec: () => ({ method: 'POST', path: '/auth/logout' }),
  takeRefresh: () => {},
  replaceSession: () => {},
  signIn: async () => void log.push('sign in'),
}))

const CREDENTIAL = { cookie: 'access=1', csrf: undefined }
const READ: RequestSpec = { method: 'GET', path: '/swaps' }
// as: a client reads no more of them
const TARGET = {} as Target
const SESSION = { wallet: { address: 'a1' }, cookies: new Map([['access', '1']]) } as unknown as Session

let log: string[] = []
beforeEach(() => {
  log = []
})

/** A client of an exchange that returns these statuses to each path, then 200, 10 ms later. */
const open = (statuses: Record<string, number[]>) =>
  openClient(
    TARGET,
    { session: SESSION },
    {
      refreshAfterMs: 60_000,
      async once(_, { path }) {
        log.push(path)
        await time.tools.pause(10)
        const status = statuses[path]?.shift() ?? 200
        log.push(`${path} ${status}`)
        return { status, headers: { 'retry-after': '5' }, evidence: () => path } as unknown as Reply // as: only these are read
      },
    },
  )

const LOGOUT = ['/auth/logout', '/auth/logout 200']

test.each([
  ['while a retry waits', { '/swaps': [503] }, 100, ['/swaps', '/swaps 503']],
  ['with a request in flight', {}, 5, ['/swaps', '/swaps 200']],
  ['with one in flight that gets 401', { '/swaps': [401] }, 5, ['/swaps', '/swaps 401']],
  [
    'while a refresh that gets 401 is in flight',
    { '/swaps': [401], '/auth/refresh': [401] },
    15,
    ['/swaps', '/swaps 401', '/auth/refresh', '/auth/refresh 401'],
  ],
  [
    'while a refresh waits',
    { '/swaps': [401], '/auth/refresh': [503] },
    100,
    ['/swaps', '/swaps 401', '/auth/refresh', '/auth/refresh 503'],
  ],
])(
  'of a client that leaves %s, the logout is the last request',
  async (_, statuses, leavesAfterMs, before) => {
    const client = await open(statuses)
    void client.send(READ).catch(() => {})
    const startMs = time.nowMs()
    await time.run(startMs + leavesAfterMs)
    const left = client.leave()
    await time.run(startMs + leavesAfterMs + 50)
    await left
    await time.run()
    expect(log).toEqual([...before, ...LOGOUT])
  },
)

test('requests behind the rate limit end when their client leaves; the logout waits', async () => {
  const client = await open({ '/swaps': [429] })
  const startMs = time.nowMs()
  const ended: string[] = []
  const read = () => void client.send(READ).catch((error: Error) => ended.push(error.message))
  read()
  await time.run(startMs + 100)
  read()
  await time.run(startMs + 200)
  const left = client.leave()
  await time.run(startMs + 200)
  expect(ended).toEqual(['the client has left', 'the client has left'])
  expect(log).toEqual(['/swaps', '/swaps 429'])
  await time.run()
  await left
  expect(log).toEqual(['/swaps', '/swaps 429', ...LOGOUT])
  expect(time.nowMs() - startMs).toBeGreaterThan(5000)
})

test('a logout is sent again after a 429, when its wait is over', async () => {
  const client = await open({ '/auth/logout': [429] })
  const startMs = time.nowMs()
  const left = client.leave()
  await time.run()
  await left
  expect(log).toEqual(['/auth/logout', '/auth/logout 429', ...LOGOUT])
  expect(time.nowMs() - startMs).toBeGreaterThan(5000)
})
