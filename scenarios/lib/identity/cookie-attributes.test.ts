import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import type { Cookie } from '../requests/reply.ts'
import { explainMisnamedCookies, explainUnsentCookie } from './cookie-attributes.ts'

const choices = choicesSchema.parse({ cookies: { access: 'sid', refresh: 'renewal' } })

type Attributes = Pick<Cookie, 'path' | 'maxAge' | 'expiresMs'>

const cookie = (name: string, attributes: Attributes): Cookie => ({
  name,
  value: 'x',
  httpOnly: true,
  ...attributes,
})

const NOW_MS = Date.parse('2025-01-01T00:00:00Z')
const at = (seconds: number) => NOW_MS + seconds * 1000
const DATE = new Date(NOW_MS).toUTCString()

const explain = (cookies: Cookie[], baseUrl = 'https://exchange.example', date = DATE) =>
  explainUnsentCookie({ baseUrl, choices }, { cookies, headers: { date } })

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(NOW_MS))
afterEach(() => vi.restoreAllMocks())

test.each<[access: Attributes, refresh: Attributes, baseUrl?: string]>([
  [{}, {}],
  [{ path: '/' }, { path: '/auth' }],
  [{ path: '/' }, { path: '/auth/refresh' }],
  [{ path: '/' }, { path: '/auth/' }],
  [{ path: 'auth' }, { path: 'auth' }],
  [{ maxAge: 840 }, { maxAge: 901 }],
  [{ maxAge: 1e9 }, { maxAge: 1e9 }],
  [{ expiresMs: at(840) }, { expiresMs: at(901) }],
  [
    { maxAge: 840, expiresMs: 0 },
    { maxAge: 901, expiresMs: 0 },
  ],
  [{ path: '/api' }, { path: '/api/auth' }, 'https://exchange.example/api/'],
  [{ path: '/' }, { path: '/' }, 'https://exchange.example/api'],
  // The path of a proxy through which the probes do not go, or do.
  [{ path: '/api' }, { path: '/api/auth' }],
  [{ path: '/auth' }, { path: '/auth' }, 'https://exchange.example/api'],
])('a browser sends %j and %j', (access, refresh, baseUrl) => {
  expect(explain([cookie('sid', access), cookie('renewal', refresh)], baseUrl)).toBeUndefined()
})

test.each<[access: Attributes, refresh: Attributes, explanation: string]>([
  [{ path: '/auth' }, {}, 'the access cookie has Path=/auth, so it is not sent to /swaps'],
  [{ path: '/swaps' }, {}, 'the access cookie has Path=/swaps, so it is not sent to /unclaimed'],
  [
    {},
    { path: '/auth/verify' },
    'the refresh cookie has Path=/auth/verify, so it is not sent to /auth/refresh',
  ],
  [{ maxAge: 839 }, {}, 'the access cookie expires in 839 seconds, less than 840'],
  [{ maxAge: 0 }, {}, 'the access cookie expires in 0 seconds, less than 840'],
  [{ expiresMs: at(839) }, {}, 'the access cookie expires in 839 seconds, less than 840'],
  [{ expiresMs: 0 }, {}, `the access cookie expires in -${NOW_MS / 1000} seconds, less than 840`],
  [{}, { expiresMs: at(900) }, 'the refresh cookie expires in 900 seconds, less than 901'],
  [{}, { maxAge: 900, expiresMs: at(901) }, 'the refresh cookie expires in 900 seconds, less than 901'],
  [{}, { maxAge: 900 }, 'the refresh cookie expires in 900 seconds, less than 901'],
])('a browser does not send %j or %j: %s', (access, refresh, explanation) => {
  expect(explain([cookie('sid', access), cookie('renewal', refresh)])).toBe(explanation)
})

test.each<[what: string, date: string, seconds: number]>([
  ['early', new Date(at(-1)).toUTCString(), 839],
  ['late', new Date(at(600)).toUTCString(), 840],
  ['unreadable', 'soon', 0],
])('an Expires counts only if it ends too early by two clocks: a Date that is %s', (_, date, seconds) => {
  expect(explain([cookie('sid', { expiresMs: at(seconds) })], undefined, date)).toBeUndefined()
})

test('the path of the base address counts', () => {
  const set = [cookie('sid', { path: '/api/auth' })]
  expect(explain(set, 'https://exchange.example/api')).toBe(
    'the access cookie has Path=/api/auth, so it is not sent to /swaps',
  )
})

test('of several cookies with one name, one that is sent is enough', () => {
  const set = [cookie('sid', { path: '/auth', maxAge: 60 }), cookie('sid', { path: '/', maxAge: 900 })]
  expect(explain(set)).toBeUndefined()
})

test('cookies that are deleted, or that the profile does not name, are ignored', () => {
  const deleted = { ...cookie('sid', { path: '/auth', maxAge: 0 }), value: '' }
  expect(explain([deleted, cookie('other', { path: '/auth', maxAge: 1 })])).toBeUndefined()
})

test.each<[set: readonly string[], explanation: string | undefined]>([
  [['sid', 'renewal'], undefined],
  [['sid', 'renewal', 'other'], undefined],
  [['exb.access', 'renewal'], 'sign-in set no cookie sid (choices.cookies), but exb.access, renewal'],
  [['a', 'r'], 'sign-in set no cookie sid or renewal (choices.cookies), but a, r'],
  // No other cookie could be the one.
  [['renewal'], undefined],
  [[], undefined],
])('cookies %j', (set, explanation) => {
  const cookies = set.map((name) => cookie(name, {}))
  expect(explainMisnamedCookies(choices, cookies)).toBe(explanation)
})
