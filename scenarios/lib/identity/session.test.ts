import { expect, test, vi } from 'vitest'
import { choicesSchema, type Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Reply } from '../requests/request.ts'
import { getCredential, mustHaveSentCsrf, type Session, startSession, takeRefresh } from './session.ts'

vi.mock('../requests/request.ts', () => ({ isSuccess: ({ status }: Reply) => status >= 200 && status < 300 }))
// Modules that need k6.
vi.mock('../duties/k6-tools.ts', () => ({}))
vi.mock('../time/pause.ts', () => ({}))
vi.mock('./shared-wallets.ts', () => ({}))
vi.mock('./wallet.ts', () => ({}))

const target = { profile: { choices: choicesSchema.parse({}) } } as Target // as: the only part used

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
