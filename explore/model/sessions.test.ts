import { expect, test } from 'vitest'
import type { Command } from '../sequence.ts'
import { explainAll, type Happened, happened, SIGNED_IN } from './test-happened.ts'

const READ: Command = { do: 'read', by: 's1', path: '/unclaimed' }
const REFRESH: Command = { do: 'refresh', session: 's1', cookie: 'current' }
const LOG_OUT: Command = { do: 'log-out', session: 's1', csrf: 'right' }
const LOG_OUT_ALL: Command = { do: 'log-out-all', session: 's2', csrf: 'right' }
const REVOKE: Command = { do: 'revoke-session', session: 's2', of: 's1', csrf: 'right' }
const LIST: Command = { do: 'list-sessions', session: 's1' }

const grant = (granted: number, more: Partial<Happened> = {}) =>
  happened(REFRESH, 200, { ...more, outcome: { status: 200, used: granted - 1, granted, hasAccess: true } })
const list = (...listed: string[]) => happened(LIST, 200, { outcome: { status: 200, used: 0, listed } })
const EXPIRED = 17 * 60

/** `rule`: what the last command violates; null: nothing. */
test.each<{ what: string; history: Happened[]; rule: string | null }>([
  {
    what: 'a sign-in is rejected',
    history: [{ command: { do: 'sign-in', wallet: 0, as: 's4' }, outcome: { status: 403 } }],
    rule: 'auth.verify.signs-in',
  },
  {
    what: 'a sign-in is rate limited',
    history: [{ command: { do: 'sign-in', wallet: 0, as: 's4' }, outcome: { status: 429 } }],
    rule: null,
  },
  { what: 'an active session is rejected', history: [happened(READ, 401)], rule: 'auth.verify.signs-in' },
  { what: 'a transient error', history: [happened(READ, 503)], rule: null },
  {
    what: 'an error that stays',
    history: [happened(READ, 503, { outcome: { status: 503, used: 0, isPersistent: true } })],
    rule: 'auth.verify.signs-in',
  },
  { what: 'no response', history: [happened(READ, 0)], rule: null },
  {
    what: 'a session is rejected after 15 minutes, on clocks that differ',
    history: [happened(READ, 401, { atSeconds: 15 * 60 })],
    rule: null,
  },
  {
    what: 'a session works after 17 minutes',
    history: [happened(READ, 200, { atSeconds: EXPIRED })],
    rule: 'auth.session.expires-15-min',
  },
  {
    what: 'an expired session is refreshed',
    history: [grant(1, { atSeconds: EXPIRED }), happened(READ, 200, { outcome: { status: 200, used: 1 } })],
    rule: null,
  },
  {
    what: 'an expired session cannot be refreshed',
    history: [happened(REFRESH, 401, { atSeconds: EXPIRED })],
    rule: 'auth.refresh.revives',
  },
  {
    what: 'the lifetime of a refresh token is open',
    history: [happened(REFRESH, 401, { atSeconds: 2 * EXPIRED })],
    rule: null,
  },
  {
    what: 'a refreshed session is rejected',
    history: [grant(1), happened(READ, 401, { outcome: { status: 401, used: 1 } })],
    rule: 'auth.refresh.sets-access',
  },
  {
    what: 'replaced access cookies are rejected or served: open',
    history: [grant(1), happened(READ, 401), happened(READ, 200)],
    rule: null,
  },
  {
    what: 'a refresh keeps its token',
    history: [happened(REFRESH, 200, { outcome: { status: 200, used: 0, granted: 0, hasAccess: true } })],
    rule: 'auth.refresh.rotates',
  },
  {
    what: 'a refresh without an access cookie',
    history: [happened(REFRESH, 200, { outcome: { status: 200, used: 0, granted: 1, hasAccess: false } })],
    rule: 'auth.refresh.sets-access',
  },
  {
    what: 'a second refresh is rejected',
    history: [grant(1), { ...grant(2), outcome: { status: 409, used: 1 } }],
    rule: 'auth.refresh.race-survives',
  },
  {
    what: 'a replaced token refreshes within the grace time',
    history: [grant(1), happened(REFRESH, 200, { outcome: { status: 200, used: 0, granted: 1 } })],
    rule: null,
  },
  {
    what: 'a replaced token refreshes after the grace time',
    history: [
      grant(1),
      happened(REFRESH, 200, { atSeconds: 20, outcome: { status: 200, used: 0, granted: 2 } }),
    ],
    rule: 'auth.refresh.replaced-ends',
  },
  {
    what: 'a replaced token is rejected, and may end its session',
    history: [
      grant(1),
      happened(REFRESH, 401, { atSeconds: 20 }),
      happened(READ, 401, { outcome: { status: 401, used: 1 } }),
    ],
    rule: null,
  },
  {
    what: 'a token that was replaced twice ends its session, also within the grace time',
    history: [
      grant(1),
      grant(2, { atSeconds: 2 }),
      happened({ ...REFRESH, cookie: 'first' }, 401, { atSeconds: 3, outcome: { status: 401, used: 0 } }),
      happened(READ, 401, { atSeconds: 4, outcome: { status: 401, used: 2 } }),
    ],
    rule: null,
  },
  {
    what: 'an older token is rejected while the response of an earlier refresh is missing',
    history: [
      { ...grant(2), outcome: { status: 200, used: 0, granted: 2, hasAccess: true } },
      { ...grant(3), outcome: { status: 200, used: 2, granted: 3, hasAccess: true } },
      happened({ ...REFRESH, cookie: 'first' }, 401, { atSeconds: 3, outcome: { status: 401, used: 0 } }),
    ],
    rule: null,
  },
  {
    what: 'a replaced token whose response is late may have arrived after the grace time',
    history: [
      grant(1),
      happened(REFRESH, 401, { atSeconds: 3, tookSeconds: 9 }),
      happened(READ, 401, { outcome: { status: 401, used: 1 } }),
    ],
    rule: null,
  },
  {
    what: 'within the grace time, a replaced token does not end its session',
    history: [grant(1), happened(REFRESH, 409), happened(READ, 401, { outcome: { status: 401, used: 1 } })],
    rule: 'auth.refresh.sets-access',
  },
  {
    what: 'a lost refresh leaves everything open',
    history: [happened(REFRESH, 0), happened(READ, 401), happened(REFRESH, 401)],
    rule: null,
  },
  {
    what: 'logout: the session works',
    history: [happened(LOG_OUT, 200), happened(READ, 200)],
    rule: 'auth.logout.current-only',
  },
  {
    what: 'logout: the session refreshes',
    history: [happened(LOG_OUT, 200), grant(1)],
    rule: 'auth.logout.ends-refresh',
  },
  {
    what: 'logout: another session of the wallet ends',
    history: [happened(LOG_OUT, 200), happened({ ...READ, by: 's2' }, 401)],
    rule: 'auth.logout.current-only',
  },
  { what: 'a second logout succeeds', history: [happened(LOG_OUT, 200), happened(LOG_OUT, 200)], rule: null },
  {
    what: 'a lost logout',
    history: [happened(LOG_OUT, 502), happened(READ, 200), happened(READ, 200)],
    rule: null,
  },
  {
    what: 'a lost logout that took effect',
    history: [happened(LOG_OUT, 502), happened(READ, 401), happened(READ, 401)],
    rule: null,
  },
  {
    what: 'a lost logout that took effect, and did not',
    history: [happened(LOG_OUT, 502), happened(READ, 401), happened(READ, 200)],
    rule: 'auth.logout.current-only',
  },
  {
    what: 'a wrong CSRF token is accepted or rejected: open',
    history: [happened({ ...LOG_OUT, csrf: 'wrong' }, 403), happened({ ...LOG_OUT, csrf: 'missing' }, 200)],
    rule: null,
  },
  {
    what: 'logout with the right CSRF token is rejected',
    history: [happened(LOG_OUT, 403)],
    rule: 'auth.verify.signs-in',
  },
  {
    what: 'logout-all: another session works',
    history: [happened(LOG_OUT_ALL, 200), happened(READ, 200)],
    rule: 'auth.logout-all.every-session',
  },
  {
    what: 'logout-all: another session refreshes',
    history: [happened(LOG_OUT_ALL, 200), grant(1)],
    rule: 'auth.logout-all.ends-refresh',
  },
  {
    what: 'logout-all: the session of another wallet ends',
    history: [happened(LOG_OUT_ALL, 200), happened({ ...READ, by: 's3' }, 401)],
    rule: 'auth.verify.signs-in',
  },
  {
    what: 'revoke: the session works',
    history: [happened(REVOKE, 200), happened(READ, 200)],
    rule: 'auth.sessions.revoke',
  },
  {
    what: 'revoke: the session refreshes',
    history: [happened(REVOKE, 200), grant(1)],
    rule: 'auth.sessions.revoke-ends-refresh',
  },
  {
    what: 'revoke: the session of the request ends',
    history: [happened(REVOKE, 200), happened({ ...READ, by: 's2' }, 401)],
    rule: 'auth.sessions.revoke',
  },
  {
    what: 'the response to a second revocation is open',
    history: [happened(REVOKE, 200), happened(REVOKE, 404), happened(REVOKE, 200)],
    rule: null,
  },
  {
    what: 'a session may not revoke itself, and goes on',
    history: [happened({ ...REVOKE, of: 's2' }, 403), happened({ ...READ, by: 's2' }, 200)],
    rule: null,
  },
  {
    what: 'a foreign session is revoked: the response is open, the effect is not',
    history: [happened({ ...REVOKE, session: 's3' }, 200), happened(READ, 401)],
    rule: 'auth.verify.signs-in',
  },
  { what: 'a whole list', history: [list('s1', 's2')], rule: null },
  { what: 'an incomplete list', history: [list('s1')], rule: 'auth.sessions.list' },
  { what: 'a foreign session in a list', history: [list('s1', 's2', 's3')], rule: 'auth.sessions.own-only' },
  {
    what: 'an ended session in a list, which may lag',
    history: [happened(REVOKE, 200), { ...list('s1', 's2'), command: { ...LIST, session: 's2' } }],
    rule: null,
  },
  {
    what: 'an incomplete list of a concurrent turn',
    history: [{ ...list('s1'), isAlone: false }],
    rule: null,
  },
  {
    what: 'a list without a session whose access has expired',
    history: [
      { command: { do: 'sign-in', wallet: 0, as: 's4' }, outcome: { status: 200 }, atSeconds: EXPIRED },
      { command: { ...LIST, session: 's4' }, outcome: { status: 200, used: 0, listed: ['s4'] } },
    ],
    rule: null,
  },
])('$what', ({ history, rule }) => {
  const explained = explainAll([...SIGNED_IN, ...history])
  if (rule !== null) expect(explained).toBe(rule)
  else expect(explained).toEqual(expect.any(Array))
  // The last command is at fault, not an earlier one.
  expect(explainAll([...SIGNED_IN, ...history.slice(0, -1)])).toEqual(expect.any(Array))
})

test('with an unknown grace time, a replaced token may refresh at any time, and may end its session', () => {
  const unknown = { graceMs: null, tokensMax: null }
  const late = happened(REFRESH, 200, { atSeconds: 60, outcome: { status: 200, used: 0, granted: 2 } })
  expect(explainAll([...SIGNED_IN, grant(1), late], unknown)).toHaveLength(2)
  const rejected = happened(REFRESH, 401, { atSeconds: 60 })
  expect(explainAll([...SIGNED_IN, grant(1), rejected], unknown)).toHaveLength(2)
})
