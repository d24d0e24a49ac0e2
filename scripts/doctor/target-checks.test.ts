import { expect, test } from 'vitest'
import { type Profile, profileSchema } from '../../contract/profile.ts'
import type { TargetFacts } from './look.ts'
import { checkTarget } from './target-checks.ts'
import { GOOD_TARGET, responded } from './test-facts.ts'

const buildProfile = (change: object): Profile => profileSchema.parse({ ...GOOD_TARGET.profile, ...change })
const AT = Date.parse('2026-11-22T05:00:00.000Z')
const DAY_MS = 86_400_000

test('passes a good target and omits checks that do not apply', () => {
  expect(checkTarget(GOOD_TARGET)).toEqual([
    { check: 'rest', verdict: 'ok', saw: 'GET https://exchange.example/api/health returns 200 in 12 ms' },
    { check: 'exchange', verdict: 'ok', saw: '/tokens responds like an exchange' },
    {
      check: 'feed',
      verdict: 'ok',
      saw: 'wss://feed.exchange.example/ws returns 101 to an upgrade in 12 ms',
    },
    { check: 'tls', verdict: 'ok', saw: 'TLSv1.3, certificate valid until 2027-01-21' },
    {
      check: 'clock of the target',
      verdict: 'ok',
      saw: 'agrees with the clock of this machine, within the precision of Date',
    },
    { check: 'wallets', verdict: 'ok', saw: '20, 20 of them with a key' },
    { check: 'api tokens', verdict: 'ok', saw: '2 in BREAKWATER_API_TOKENS' },
    {
      check: 'allowed',
      verdict: 'ok',
      saw: 'exchange.example, feed.exchange.example: read-only, because allow.mutations and allow.load are false',
    },
  ])
})

type Case = {
  what: string
  facts: Partial<TargetFacts>
  expected: readonly [check: string, verdict: string, saw: RegExp, remedy?: RegExp]
}

const CASES: readonly Case[] = [
  {
    what: 'nothing at baseUrl',
    facts: { rest: { failure: 'connect ECONNREFUSED 10.0.0.1:443' } },
    expected: ['rest', 'problem', /\/api\/health: connect ECONNREFUSED/, /baseUrl of the profile is right/],
  },
  {
    what: 'a certificate of an unknown authority',
    facts: { rest: { failure: 'the certificate is self-signed', hint: 'Name it in `ca`.' } },
    expected: ['rest', 'problem', /health: the certificate is self-signed$/, /Name it in `ca`/],
  },
  {
    what: 'a refusal',
    facts: { rest: responded({ status: 403 }) },
    expected: ['rest', 'warning', /returns 403/, /`headers` of the profile/],
  },
  {
    what: 'another server',
    facts: { rest: responded({ status: 404 }) },
    expected: ['rest', 'warning', /returns 404/, /baseUrl/],
  },
  {
    what: 'a redirect',
    facts: { rest: responded({ status: 302, location: 'https://login.example/?token=secret' }) },
    expected: ['rest', 'warning', /returns 302 to https:\/\/login\.example\/ in/],
  },
  {
    what: 'an HTML page',
    facts: { rest: responded({ contentType: 'text/html; charset=utf-8' }) },
    expected: ['rest', 'warning', /: it responds 200 with an HTML page; expected JSON$/, /baseUrl/],
  },
  {
    what: 'nothing at wsUrl',
    facts: { feed: { failure: 'getaddrinfo ENOTFOUND feed' } },
    expected: ['feed', 'problem', /ENOTFOUND/, /wsUrl/],
  },
  {
    what: 'no upgrade',
    facts: { feed: responded({ status: 400 }) },
    expected: ['feed', 'problem', /: it responds 400 to an upgrade; expected 101$/, /Upgrade and Connection/],
  },
  {
    what: 'a busy WebSocket server',
    facts: { feed: responded({ status: 503 }) },
    expected: ['feed', 'warning', /returns 503 to an upgrade/, /busy/],
  },
  {
    what: 'a WebSocket certificate that expires soon',
    facts: { feed: responded({ status: 101, tls: { protocol: 'TLSv1.2', validUntilMs: AT + 13 * DAY_MS } }) },
    expected: ['tls', 'warning', /^TLSv1\.2, certificate valid until 2026-12-05, 12 days$/, /Renew/],
  },
  {
    what: 'a WebSocket certificate with unknown expiry',
    facts: { feed: responded({ status: 101, tls: { protocol: 'TLSv1.3', validUntilMs: null } }) },
    expected: [
      'tls',
      'unchecked',
      /^TLSv1\.3, certificate valid until 2027-01-21; expiry of the other one unknown$/,
    ],
  },
  {
    what: 'certificates with unknown expiry',
    facts: {
      rest: responded({ tls: { protocol: 'TLSv1.3', validUntilMs: null } }),
      feed: responded({ status: 101, tls: { protocol: 'TLSv1.3', validUntilMs: null } }),
    },
    expected: ['tls', 'unchecked', /^TLSv1\.3, expiry of the certificate unknown$/],
  },
  {
    what: 'a fast clock',
    facts: { rest: responded({ dateMs: AT + 10_000 }) },
    expected: [
      'clock of the target',
      'warning',
      /^at least 9\.8 s ahead of that of this machine$/,
      /timedatectl status/,
    ],
  },
  {
    what: 'a slow clock',
    facts: { rest: responded({ dateMs: AT - 10_000 }) },
    expected: ['clock of the target', 'warning', /^at least 9\.2 s behind that of this machine$/],
  },
  {
    what: 'no exchange',
    facts: {
      serves: { failure: 'GET https://exchange.example/tokens: answered 404', hint: 'Is baseUrl right?' },
    },
    expected: ['exchange', 'problem', /answered 404$/, /baseUrl/],
  },
  ...[
    { offMs: 600_000, text: '10 minutes' },
    { offMs: 10 * 3_600_000, text: '10 hours' },
    { offMs: 321 * DAY_MS, text: '321 days' },
  ].map(
    ({ offMs, text }): Case => ({
      what: `a clock that is ${text} ahead`,
      facts: { rest: responded({ dateMs: AT + offMs }) },
      expected: ['clock of the target', 'warning', new RegExp(`^at least ${text} ahead of`)],
    }),
  ),
  {
    what: 'a simulated clock',
    facts: {
      profile: buildProfile({ control: 'http://127.0.0.1:8082' }),
      rest: responded({ dateMs: 0 }),
      control: { value: 'token taken' },
    },
    expected: ['clock of the target', 'ok', /expected of a simulated clock$/],
  },
  {
    what: 'no Date',
    facts: { rest: responded({ dateMs: null }) },
    expected: ['clock of the target', 'warning', /no Date header/, /WebSocket/],
  },
  {
    what: 'missing metrics',
    facts: {
      profile: buildProfile({ metrics: 'http://m.example/metrics?key=secret' }),
      metrics: responded({ status: 404 }),
    },
    expected: ['metrics', 'warning', /^GET http:\/\/m\.example\/metrics returns 404$/, /"metrics": null/],
  },
  {
    what: 'no wallets',
    facts: { wallets: null },
    expected: ['wallets', 'warning', /is not set/, /privateKeyJwk/],
  },
  {
    what: 'an empty wallet file',
    facts: { wallets: { value: { count: 0, withKey: 0, canCreateTokens: false } } },
    expected: ['wallets', 'warning', /^0, /],
  },
  {
    what: 'wallets without keys',
    facts: { wallets: { value: { count: 3, withKey: 1, canCreateTokens: true } } },
    expected: ['wallets', 'warning', /^3, 1 of them with a key$/, /credentials\.signer/],
  },
  {
    what: 'wallets without keys, and a signer',
    facts: {
      wallets: { value: { count: 3, withKey: 1, canCreateTokens: true } },
      profile: buildProfile({ credentials: { signer: 'http://127.0.0.1:9/sign' } }),
    },
    expected: ['wallets', 'ok', /probes sign in in turn$/],
  },
  {
    what: 'wallets readable by others',
    facts: {
      wallets: { failure: 'p.json: credentials.wallets: w.json: has mode 0644', hint: 'chmod 600 w.json' },
    },
    expected: ['wallets', 'problem', /has mode 0644$/, /chmod 600 w\.json/],
  },
  {
    what: 'no API tokens, but a wallet that can create them',
    facts: { apiTokens: 0 },
    expected: ['api tokens', 'ok', /^BREAKWATER_API_TOKENS is not set; a wallet can create tokens$/],
  },
  {
    what: 'no API tokens, and no wallet that can create them',
    facts: { apiTokens: 0, wallets: { value: { count: 1, withKey: 0, canCreateTokens: false } } },
    expected: ['api tokens', 'warning', /^BREAKWATER_API_TOKENS is not set/, /export BREAKWATER_API_TOKENS=/],
  },
  {
    what: 'unreadable certificates',
    facts: { ca: { failure: 'p.json: ca: ca.pem: cannot be read', hint: 'Expected a file of certificates' } },
    expected: ['certificates', 'problem', /ca\.pem: cannot be read$/, /Expected a file/],
  },
  {
    what: 'a control API without a token',
    facts: { control: { value: 'no token' } },
    expected: ['control', 'warning', /wait in real time$/, /`breakwater stub` printed/],
  },
  {
    what: 'a control API that rejects its token',
    facts: { control: { failure: 'p.json: control: GET /status returns 401' } },
    expected: ['control', 'problem', /returns 401$/],
  },
  {
    what: 'a signer',
    facts: { profile: buildProfile({ credentials: { signer: 'http://127.0.0.1:9/sign' } }) },
    expected: ['signer', 'unchecked', /not called/],
  },
  {
    what: 'permission for changes and load',
    facts: { profile: buildProfile({ allow: { load: true, mutations: true } }) },
    expected: [
      'allowed',
      'ok',
      /--confirm exchange\.example --confirm feed\.exchange\.example allows changes and a load$/,
    ],
  },
  {
    what: 'a target on this machine',
    facts: { profile: buildProfile({ baseUrl: 'http://127.0.0.1:8080', wsUrl: 'ws://localhost:8081' }) },
    expected: ['allowed', 'ok', /^on this machine: anything$/],
  },
]

test.each(CASES)('$what', ({ facts, expected }) => {
  const [name, verdict, saw, remedy = /^/] = expected
  const findings = checkTarget({ ...GOOD_TARGET, ...facts })
  const found = findings.find(({ check }) => check === name)
  expect(found?.verdict).toBe(verdict)
  expect(found?.saw).toMatch(saw)
  expect(`${found?.remedy?.text}\n${found?.remedy?.command}`).toMatch(remedy)
  expect(JSON.stringify(findings)).not.toMatch(/secret|:pass/)
})
