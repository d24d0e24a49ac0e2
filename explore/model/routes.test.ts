import { expect, test } from 'vitest'
import type { CommandOf } from '../sequence.ts'
import type { Outcome } from './state.ts'
import { judge } from './test-done.ts'

const HOP = { pool: 'k', token_in: 'a', token_out: 'b' }
const route = (more: object = {}, subject: Outcome['subject'] = { distance: 1 }): Outcome => ({
  status: 200,
  body: { data: { hops: [HOP], protocol_revision: 7, amount_out: '5', ...more } },
  subject,
})
const FAR = { subject: { distance: 4 } }

test.each<[string, Partial<CommandOf<'route'>>, Outcome, string]>([
  ['a route', {}, route(), 'allowed'],
  ['four hops', {}, route({ hops: [HOP, HOP, HOP, HOP] }), 'route.hops.at-most-3'],
  ['a pool as a number', {}, route({ hops: [{ ...HOP, pool: 4 }] }), 'route.hops.exact-ids'],
  ['a pool that is null', {}, route({ hops: [{ ...HOP, pool: null }] }), 'route.hops.exact-ids'],
  ['an amount as a number', {}, route({ amount_out: 5 }), 'route.amount.exact'],
  ['no revision', {}, route({ protocol_revision: null }), 'route.revision.present'],
  ['none for near tokens', {}, { status: 404, subject: { distance: 1 } }, 'allowed'],
  [
    'none, although another credential of the wallet gets one',
    {},
    { status: 404, subject: { distance: 1 }, witnessStatus: 200 },
    'route.none.404',
  ],
  ['a 400 for near tokens', {}, { status: 400, subject: { distance: 1 } }, 'allowed'],
  ['none for far tokens', {}, { status: 404, ...FAR }, 'allowed'],
  ['a 400 for far tokens', {}, { status: 400, ...FAR }, 'route.none.404'],
  ['a 451 for far tokens', {}, { status: 451, ...FAR }, 'allowed'],
  ['a 400 if not all pools are known', {}, { status: 400, subject: { distance: null } }, 'allowed'],
  ['null', {}, { status: 200, body: { data: null }, subject: { distance: 1 } }, 'route.none.404'],
  ['an error that stays', { amount: 'large' }, { status: 500, isPersistent: true }, 'route.none.404'],
  ['a leading zero', { amount: 'zero' }, route(), 'route.amount.canonical'],
  ['a leading zero rejected', { amount: 'zero' }, { status: 400 }, 'allowed'],
  ['an active session rejected', {}, { status: 403 }, 'auth.verify.signs-in'],
  ['an ended session served', { by: 's2' }, route(), 'auth.logout.current-only'],
  ['no credential', { by: undefined }, { status: 401 }, 'allowed'],
  ['no credential, served', { by: undefined }, route(), 'route.credentials.missing-401'],
  ['no credential, rejected with 403', { by: undefined }, { status: 403 }, 'route.credentials.missing-401'],
])('/route: %s', (_, parameters, outcome, expected) => {
  expect(judge({ do: 'route', by: 's1', from: 0, to: 1, amount: 'unit', ...parameters }, outcome)).toBe(
    expected,
  )
})

const state = (revision: unknown, minimum = 7): Outcome => ({
  status: 200,
  body: { data: { revision } },
  subject: { minimum },
})
const pending = (body: object = {}, more: Partial<Outcome> = {}): Outcome => ({
  status: 503,
  isPersistent: true,
  body: { code: 'protocol_revision_pending', error: 'wait', ...body },
  retryAfterMs: 1000,
  subject: { minimum: 7 },
  ...more,
})

test.each<[string, CommandOf<'read-state'>['minimum'], Outcome, string]>([
  ['a revision', 'none', state(7, 0), 'allowed'],
  ['none', 'none', state(null, 0), 'protocol.state.revision'],
  ['the minimum', 'current', state(7), 'allowed'],
  ['less than the minimum', 'current', state(6), 'protocol.minimum.served'],
  ['a revision that is seen as pending', 'current', pending(), 'protocol.minimum.current'],
  ['an older one as pending', 'older', pending(), 'protocol.minimum.older'],
  ['a 404', 'older', { status: 404 }, 'protocol.minimum.older'],
  ['the next one pending', 'next', pending(), 'allowed'],
  ['the next one', 'next', state(7), 'allowed'],
  ['less than the next one', 'next', state(6), 'protocol.minimum.served'],
  ['a 404 for the next one', 'next', { status: 404 }, 'protocol.pending.503'],
  ['another code', 'next', pending({ code: 'PENDING' }), 'protocol.pending.503'],
  ['no error', 'next', pending({ error: null }), 'protocol.pending.error-body'],
  ['a ref as a number', 'next', pending({ ref: 4 }), 'protocol.pending.error-body'],
  ['no wait', 'next', { ...pending(), retryAfterMs: undefined as never }, 'protocol.pending.retry-after'],
  ['an error that passes', 'next', { status: 503 }, 'allowed'],
  ['a 401, as access is not stated', 'none', { status: 401 }, 'allowed'],
])('/protocol/state: %s', (_, minimum, outcome, expected) => {
  expect(judge({ do: 'read-state', by: 's1', minimum }, outcome)).toBe(expected)
})
