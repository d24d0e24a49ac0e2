import { expect, test, vi } from 'vitest'
import { choicesSchema, type Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { GaveUp } from '../requests/patient.ts'
import type { Reply } from '../requests/request.ts'
import {
  getCredential,
  mustHaveSentCsrf,
  type Session,
  startSession,
  takeRefresh,
  verifyPatiently,
  verifyWallet,
} from './session.ts'

/** Outcomes of the next requests to verify, and the challenges that they were sent with. */
const world = vi.hoisted(() => ({ verifies: [] as (number | Error)[], sent: [] as string[], challenges: 0 }))

vi.mock('../requests/request.ts', () => ({
  isSuccess: ({ status }: Reply) => status >= 200 && status < 300,
  async request(_: Target, { path, body }: { path: string; body: { signature: string } }) {
    if (path === '/auth/challenge') return { json: { data: { message: `m${++world.challenges}` } } }
    world.sent.push(body.signature)
    const next = world.verifies.shift()
    if (next instanceof Error) throw next
    return { status: next }
  },
}))
// Modules that need k6.
vi.mock('../duties/k6-tools.ts', () => ({ vuRandom: () => 0 }))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('./shared-wallets.ts', () => ({ beginChallenge: async () => {} }))
vi.mock('./wallet.ts', () => ({ sign: (_: Target, __: Wallet, message: string) => `signed ${message}` }))

const target = { profile: { baseUrl: 'http://one', choices: choicesSchema.parse({}) } } as Target // as: the only part used

function response(status: number, refresh: string): Reply {
  return {
    status,
    json: {},
    cookies: [{ name: 'refresh', value: refresh, httpOnly: true }],
  } as unknown as Reply // as: the only parts used
}

function openSession(): Session {
  return startSession(target, { wallet: { address: 'bw1a' } as Wallet, verified: response(200, 'r0') })
}

test.each([
  { what: 'a success replaces the cookies', reply: response(200, 'r1'), expected: 'refresh=r1' },
  { what: 'cookies of a rejection are ignored', reply: response(409, ''), expected: 'refresh=r0' },
])('$what', ({ reply, expected }) => {
  const session = openSession()
  takeRefresh(target, session, { sent: getCredential(session), reply })
  expect(getCredential(session).cookie).toBe(expected)
})

test('a response that arrives after another tab has refreshed changes nothing', () => {
  const session = openSession()
  const sent = getCredential(session)
  takeRefresh(target, session, { sent, reply: response(200, 'winner') })
  takeRefresh(target, session, { sent, reply: response(200, 'loser') })
  expect(getCredential(session).cookie).toBe('refresh=winner')
})

test.each([
  { csrf: undefined, status: 403, reason: /no CSRF token at the path of choices.verify.csrfToken/ },
  { csrf: undefined, status: 200, reason: undefined },
  { csrf: undefined, status: 503, reason: undefined },
  { csrf: 'token', status: 403, reason: undefined },
])('a refresh with CSRF token $csrf that returns $status', ({ csrf, status, reason }) => {
  const check = () => mustHaveSentCsrf({ ...openSession(), csrf }, { status })
  if (reason === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(reason)
})

const gaveUp = (status: number, serverWaitMs = 0) =>
  new GaveUp(`gave up at ${status}`, { serverWaitMs, reply: { status } as Reply }) // as: the only part used

const verifyNext = async (...verifies: (number | Error)[]) => {
  Object.assign(world, { verifies, sent: [], challenges: 0 })
  return (await verifyWallet(target, { address: 'bw1a' } as Wallet)).status // as: the only part used
}

test.each([502, 0])('signs in again with a new challenge after %s', async (status) => {
  expect(await verifyNext(gaveUp(status), 200)).toBe(200)
  expect(world.sent).toEqual(['signed m1', 'signed m2'])
})

test.each([
  ['a 429', [gaveUp(429)], 1],
  ['a long Retry-After', [gaveUp(503, 5001)], 1],
  ['a second 5xx', [gaveUp(502), gaveUp(502)], 2],
])('gives up after %s', async (_, verifies, sent) => {
  await expect(verifyNext(...verifies)).rejects.toThrow('gave up')
  expect(world.sent.length).toBe(sent)
})

test('a rejection is the response', async () => {
  expect([await verifyNext(401), world.sent.length]).toEqual([401, 1])
})

const patiently = async (...verifies: number[]) => {
  Object.assign(world, { verifies, sent: [], challenges: 0 })
  return (await verifyPatiently(target, { address: 'bw1a' } as Wallet)).status // as: the only part used
}

test.each([400, 401, 422])('sends a signature that was rejected with %i again', async (status) => {
  expect(await patiently(status, status, 200)).toBe(200)
  expect(world.sent).toEqual(['signed m1', 'signed m1', 'signed m1'])
})

test.each<[statuses: number[], sent: string[]]>([
  [
    [401, 401, 401, 200],
    ['signed m1', 'signed m1', 'signed m1', 'signed m2'],
  ],
  [
    [409, 200],
    ['signed m1', 'signed m2'],
  ],
])('starts over after %j', async (statuses, sent) => {
  expect(await patiently(...statuses)).toBe(200)
  expect(world.sent).toEqual(sent)
})
