import { expect, test } from 'vitest'
import { findOrder } from '../find-order.ts'
import type { Command } from '../sequence.ts'
import { explain } from './explain.ts'
import type { Outcome, State } from './state.ts'
import { choices, done, judge, SIGNED_IN } from './test-done.ts'

const MINUTE_MS = 60_000
const CLAIM: Command = { do: 'claim', by: 't1', wallet: 0 }
/** Wallet 1 claimed at minute 0. */
const CLAIMED: State = { ...SIGNED_IN, claims: { 0: { acceptedMs: 0 } } }
const quiet = (minutes: number) => ({ quietMs: minutes * MINUTE_MS })

test.each<[string, number, Outcome, string]>([
  ['a second claim rejected', 0.5, { status: 429, isPersistent: true, ...quiet(0.5) }, 'allowed'],
  ['a second claim accepted', 0.5, { status: 200, ...quiet(0.5) }, 'faucet.claim.once'],
  ['one after 14 minutes accepted', 14, { status: 200, ...quiet(14) }, 'faucet.claim.still-refused'],
  ['one after 15 minutes accepted', 15, { status: 200, ...quiet(15) }, 'allowed'],
  ['one after 15 minutes rejected', 15, { status: 409, ...quiet(15) }, 'allowed'],
  ['one after 16 minutes rejected', 16, { status: 409, ...quiet(16) }, 'faucet.claim.again'],
  ['one that stays limited', 16, { status: 429, isPersistent: true, ...quiet(16) }, 'faucet.claim.again'],
  ['one that is limited', 16, { status: 429, ...quiet(16) }, 'allowed'],
  ['one after claims that were rejected', 16, { status: 409, ...quiet(3) }, 'allowed'],
  ['a closed faucet', 16, { status: 403, ...quiet(16) }, 'allowed'],
  ['an error', 16, { status: 500, ...quiet(16) }, 'allowed'],
])('a claim for an address that claimed at minute 0: %s', (_, minute, outcome, expected) => {
  expect(judge(CLAIM, outcome, { state: CLAIMED, minute })).toBe(expected)
})

test('a rejected claim while another wallet has claimed', () => {
  const claims = { ...CLAIMED.claims, 1: { acceptedMs: 6 * MINUTE_MS } }
  const rejected = { status: 409, ...quiet(20) }
  expect(judge(CLAIM, rejected, { state: { ...CLAIMED, claims }, minute: 20 })).toBe(
    'faucet.claim.per-address',
  )
})

test.each<[string, Outcome, string]>([
  ['accepted', { status: 200, ...quiet(3) }, 'allowed'],
  ['rejected, perhaps because of an earlier claim', { status: 409, ...quiet(3) }, 'allowed'],
  ['rejected after 16 minutes', { status: 409, ...quiet(16) }, 'faucet.claim.accepted'],
])('the first claim that is known for an address: %s', (_, outcome, expected) => {
  expect(judge(CLAIM, outcome, { minute: 2 })).toBe(expected)
})

test.each([
  ['one of three accepted', [409, 200, 409], undefined],
  ['two of three accepted', [200, 409, 200], 'faucet.claim.once'],
  ['none accepted', [409, 409, 409], 'faucet.claim.accepted'],
])('claims at once: %s', (_, statuses, expected) => {
  const dones = statuses.map((status, place) => ({
    ...done(CLAIM, { status, ...quiet(place === 0 ? 20 : 0) }),
    callAt: place,
    returnAt: 10 + place,
  }))
  const order = findOrder([SIGNED_IN], dones, (state, each) =>
    explain(state, each, { graceMs: null, tokensMax: null, choices }),
  )
  expect('violation' in order ? order.violation.rule : undefined).toBe(expected)
})

test('the administrator may have too many API tokens, another wallet may not', () => {
  const create = (session: string): Command => ({ do: 'create-token', session, as: 't8', csrf: 'right' })
  const state = { ...SIGNED_IN, tokens: {} }
  expect(judge(create('s9'), { status: 422 }, { state })).toBe('allowed')
  expect(judge(create('s1'), { status: 422 }, { state })).toBe('auth.verify.signs-in')
})

const MINTED = { data: { status: 'sent', tx_id: 'at1' } }
const CODES = { data: { total: 1, available: 1, redeemed: 0, codes: [] } }

test.each<[string, Command, Outcome, string]>([
  [
    'the administrator mints',
    { do: 'mint', by: 's9', amount: 'unit' },
    { status: 200, body: MINTED },
    'allowed',
  ],
  [
    'no transaction',
    { do: 'mint', by: 's9', amount: 'unit' },
    { status: 200, body: { data: { status: '' } } },
    'admin.mint.works',
  ],
  [
    'the administrator mints another spelling',
    { do: 'mint', by: 's9', amount: 'plus' },
    { status: 200, body: MINTED },
    'admin.mint.canonical',
  ],
  ['another spelling rejected', { do: 'mint', by: 's9', amount: 'plus' }, { status: 400 }, 'allowed'],
  ['a token that is no wrapper', { do: 'mint', by: 's9', amount: 'unit' }, { status: 404 }, 'allowed'],
  [
    'a wallet that is no administrator after all',
    { do: 'mint', by: 's9', amount: 'unit' },
    { status: 403, witnessStatus: 403 },
    'allowed',
  ],
  [
    'an administrator rejected',
    { do: 'mint', by: 's9', amount: 'unit' },
    { status: 403, witnessStatus: 200 },
    'admin.mint.works',
  ],
  [
    'an API token mints',
    { do: 'mint', by: 't9', amount: 'unit' },
    { status: 200, body: MINTED },
    'admin.mint.session-only',
  ],
  [
    'another wallet mints',
    { do: 'mint', by: 's1', amount: 'unit' },
    { status: 200, body: MINTED },
    'admin.mint.refused-to-others',
  ],
  ['another wallet rejected', { do: 'mint', by: 's1', amount: 'unit' }, { status: 403 }, 'allowed'],
  ['the administrator reads codes', { do: 'read-codes', by: 's9' }, { status: 200, body: CODES }, 'allowed'],
  [
    'a total as text',
    { do: 'read-codes', by: 's9' },
    { status: 200, body: { data: { ...CODES.data, total: '1' } } },
    'admin.codes.record',
  ],
  [
    'an API token reads codes',
    { do: 'read-codes', by: 't9' },
    { status: 200, body: CODES },
    'admin.codes.session-only',
  ],
  [
    'another wallet reads codes',
    { do: 'read-codes', by: 't1' },
    { status: 200, body: CODES },
    'admin.codes.refused-to-others',
  ],
  [
    'an API token redeems',
    { do: 'redeem-code', by: 't1', for: 'redemption' },
    { status: 200 },
    'referral.redeem.session-only',
  ],
  [
    'an API token attributes',
    { do: 'redeem-code', by: 't1', for: 'attribution' },
    { status: 201 },
    'referral.attribution.session-only',
  ],
  ['an API token rejected', { do: 'redeem-code', by: 't1', for: 'redemption' }, { status: 401 }, 'allowed'],
  ['a session redeems', { do: 'redeem-code', by: 's1', for: 'redemption' }, { status: 404 }, 'allowed'],
  [
    'access',
    { do: 'read', by: 's1', path: '/access/status' },
    { status: 200, body: { data: { has_access: true } } },
    'allowed',
  ],
  [
    'access as text',
    { do: 'read', by: 's1', path: '/access/status' },
    { status: 200, body: { data: { has_access: 'yes' } } },
    'referral.access.record',
  ],
  [
    'a code as a number',
    { do: 'read', by: 's1', path: '/referral/status' },
    { status: 200, body: { data: { has_access: true, code: 4 } } },
    'referral.status.record',
  ],
])('%s', (_, command, outcome, expected) => {
  expect(judge(command, outcome)).toBe(expected)
})
