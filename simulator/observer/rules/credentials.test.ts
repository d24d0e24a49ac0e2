import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import {
  csrfSent,
  forbiddenStops,
  messageExact,
  refreshRetries,
  secretsNotInUrls,
  unauthorizedReplaces,
} from './credentials.ts'

const refused = (refusedDigest: string) =>
  ({ ...STRANGER, credential: 'invalid', status: 401, code: 'credentials_invalid', refusedDigest }) as const

test('accuses who goes on with what was refused', () => {
  const { ask, pass, found, evidence } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 6; count++) {
    ask(refused('old'))
    pass(1000)
  }
  expect(found()).toEqual([
    'a credential that was refused with 401 came 5 more times, each after the answer before',
  ])
  expect(evidence()).toBe(6)
})

test('lets pass requests that were under way together, in two tabs', () => {
  const { arrive, pass, found } = createTestBed(unauthorizedReplaces)
  for (let tab = 0; tab < 2; tab++) {
    const answers = Array.from({ length: 20 }, () => arrive(refused('old')))
    pass(300)
    for (const answer of answers) answer()
    pass(300)
  }
  expect(found()).toEqual([])
})

test('lets pass a new credential each time, be it refused as well', () => {
  const { ask, pass, found, cases } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 20; count++) {
    ask(refused(`number ${count}`))
    pass(1000)
  }
  expect([found(), cases()]).toEqual([[], 20])
})

test('lets pass the same credential from programs at different addresses', () => {
  const { ask, pass, found } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 20; count++) {
    ask({ ...refused('old'), remoteAddress: `10.0.0.${count}` })
    pass(1000)
  }
  expect(found()).toEqual([])
})

const FORBIDDEN = { status: 403, code: 'access_required' }

function poll(times: number, everyMs: number, request = FORBIDDEN) {
  const bed = createTestBed(forbiddenStops)
  for (let count = 0; count < times; count++) {
    bed.ask(request)
    bed.pass(everyMs)
  }
  return bed
}

test('accuses who goes on without access', () => {
  expect(poll(7, 5000).found()).toEqual([
    'a wallet without access was refused with 403 7 times, each after the answer before',
  ])
})

test('lets pass who tries some times, or once in a while', () => {
  expect(poll(6, 1000).found()).toEqual([])
  expect(poll(50, 31_000).found()).toEqual([])
})

test('lets pass requests that were under way together', () => {
  const { arrive, found } = createTestBed(forbiddenStops)
  for (const answer of Array.from({ length: 20 }, () => arrive(FORBIDDEN))) answer()
  expect(found()).toEqual([])
})

test('lets pass a wallet that is refused for another reason', () => {
  expect(poll(20, 1000, { status: 403, code: 'session_required' }).found()).toEqual([])
})

const REFUSED = { ...STRANGER, credential: 'invalid', status: 401, code: 'credentials_invalid' } as const
const REFRESH = { ...STRANGER, method: 'POST', url: '/auth/refresh', isPublic: true }
const WON = { ...REFRESH, status: 200 }
const LOST = { ...REFRESH, status: 409, code: 'refresh_raced' }

/** Two tabs whose requests were refused, and who refresh at once. */
function race() {
  const bed = createTestBed(refreshRetries)
  bed.ask({ ...REFUSED, url: '/swaps' })
  bed.ask({ ...REFUSED, url: '/unclaimed' })
  const [winner, loser] = [bed.arrive(WON), bed.arrive(LOST)]
  winner()
  loser()
  bed.pass(10)
  return bed
}

test('accuses a loser that signs in anew in place of sending its request again', () => {
  const { ask, pass, found, evidence } = race()
  ask({ ...STRANGER, method: 'POST', url: '/auth/challenge' })
  pass(31_000)
  expect(found()).toEqual([
    '1 refresh answered 409, and of the 2 requests refused before (such as GET /swaps) 0 came again within 30 s',
  ])
  expect(evidence()).toBe(3)
})

test('lets pass a loser that sends its request again', () => {
  const { ask, pass, found, cases } = race()
  ask({ url: '/unclaimed', credential: 'session' })
  pass(31_000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('lets pass a loser that is heard of no more', () => {
  const { pass, found } = race()
  pass(31_000)
  expect(found()).toEqual([])
})

test('lets pass a loser that refreshed ahead of time, and had nothing to retry', () => {
  const { ask, pass, found } = createTestBed(refreshRetries)
  ask({ ...REFUSED, url: '/swaps' })
  ask(WON)
  ask(LOST)
  pass(10)
  ask({ ...STRANGER, url: '/pools' })
  pass(31_000)
  expect(found()).toEqual([])
})

const BY_COOKIE = { method: 'POST', url: '/auth/logout', credential: 'session', credentialId: 's1' } as const

test('accuses of a change by cookie without the header', () => {
  const { ask, found } = createTestBed(csrfSent)
  ask({ ...BY_COOKIE, status: 403, code: 'csrf_required' })
  expect(found()).toEqual(['POST /auth/logout by cookie, without X-CSRF-Token'])
})

test.each([
  ['a change with it, even a wrong one', { ...BY_COOKIE, hasCsrfToken: true, status: 403 }],
  ['a read', { ...BY_COOKIE, method: 'GET', url: '/swaps' }],
  ['a change by API token', { ...BY_COOKIE, credential: 'api-token' }],
  ['a refresh, which is public', { ...BY_COOKIE, url: '/auth/refresh', isPublic: true }],
] as const)('lets pass %s', (_what, request) => {
  const { ask, found } = createTestBed(csrfSent)
  ask(request)
  expect(found()).toEqual([])
})

const VERIFY = { ...STRANGER, method: 'POST', url: '/auth/verify', status: 401, code: 'signature_invalid' }

test('accuses of a signature over an altered message', () => {
  const { ask, found } = createTestBed(messageExact)
  ask({ ...VERIFY, alteredMessage: 'trimmed' })
  expect(found()).toEqual(['the signature is over the message trimmed'])
})

test('lets pass a signature that is wrong in any other way', () => {
  const { ask, found, cases } = createTestBed(messageExact)
  ask(VERIFY)
  expect([found(), cases()]).toEqual([[], 1])
})

test('accuses of a secret in the URL of a request, and of a socket', () => {
  const { ask, open, pass, found } = createTestBed(secretsNotInUrls)
  ask({ url: '/swaps?token=x', secretInUrl: 'an API token' })
  pass(60_000)
  open({ secretInUrl: 'a session cookie' })
  expect(found()).toEqual([
    'GET /swaps with an API token in its URL',
    'a socket opened with a session cookie in its URL',
  ])
})

test('never shows the URL itself', () => {
  const { ask, observer } = createTestBed(secretsNotInUrls)
  ask({ url: '/swaps?token=ss_secret', secretInUrl: 'an API token' })
  expect(JSON.stringify(observer.read({ after: 0, limit: 10 }))).not.toContain('ss_secret')
})

test('lets pass URLs without', () => {
  const { ask, open, found, cases } = createTestBed(secretsNotInUrls)
  ask()
  open()
  expect([found(), cases()]).toEqual([[], 2])
})
