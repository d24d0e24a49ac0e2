import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import {
  csrfSent,
  forbiddenStops,
  messageExact,
  secretsNotInUrls,
  unauthorizedReplaces,
} from './credentials.ts'

const refused = (refusedDigest: string) =>
  ({ ...STRANGER, credential: 'invalid', status: 401, code: 'credentials_invalid', refusedDigest }) as const

test('reports a client that keeps using a rejected credential', () => {
  const { send, pass, found, evidence } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 6; count++) {
    send(refused('old'))
    pass(1000)
  }
  expect(found()).toEqual([
    'a credential rejected with 401 was sent 5 more times, each time after the previous response',
  ])
  expect(evidence()).toBe(6)
})

test('allows concurrent requests, in two tabs', () => {
  const { arrive, pass, found } = createTestBed(unauthorizedReplaces)
  for (let tab = 0; tab < 2; tab++) {
    const responses = Array.from({ length: 20 }, () => arrive(refused('old')))
    pass(300)
    for (const response of responses) response()
    pass(300)
  }
  expect(found()).toEqual([])
})

test('allows a new credential each time, even if rejected too', () => {
  const { send, pass, found, cases } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 20; count++) {
    send(refused(`number ${count}`))
    pass(1000)
  }
  expect([found(), cases()]).toEqual([[], 20])
})

test('allows the same credential from programs at different addresses', () => {
  const { send, pass, found } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 20; count++) {
    send({ ...refused('old'), remoteAddress: `10.0.0.${count}` })
    pass(1000)
  }
  expect(found()).toEqual([])
})

const FORBIDDEN = { status: 403, code: 'access_required' }

function poll(times: number, everyMs: number, request = FORBIDDEN) {
  const bed = createTestBed(forbiddenStops)
  for (let count = 0; count < times; count++) {
    bed.send(request)
    bed.pass(everyMs)
  }
  return bed
}

test('reports a client that continues without access', () => {
  expect(poll(7, 5000).found()).toEqual([
    'a wallet without access got 403 7 times, each time after the previous response',
  ])
})

test('allows some attempts, or one once in a while', () => {
  expect(poll(6, 1000).found()).toEqual([])
  expect(poll(50, 31_000).found()).toEqual([])
})

test('allows concurrent requests', () => {
  const { arrive, found } = createTestBed(forbiddenStops)
  for (const response of Array.from({ length: 20 }, () => arrive(FORBIDDEN))) response()
  expect(found()).toEqual([])
})

const ANOTHER = { status: 403, code: 'session_required' }

test('reports a request that gets 403 for another reason, and is sent again and again', () => {
  expect(poll(7, 1000, ANOTHER).found()).toEqual([
    'GET /fee-tiers got 403 7 times, each time after the previous response',
  ])
  expect(poll(6, 1000, ANOTHER).found()).toEqual([])
})

test('allows different requests that get 403 for another reason, and public ones', () => {
  const { send, pass, found, cases } = createTestBed(forbiddenStops)
  for (let count = 0; count < 20; count++) {
    send({ ...ANOTHER, url: `/swaps?offset=${count}` })
    send({ ...ANOTHER, ...STRANGER, isPublic: true })
    pass(1000)
  }
  expect([found(), cases()]).toEqual([[], 20])
})

const DENIED = { ...STRANGER, method: 'POST', url: '/auth/verify', isPublic: true, ...FORBIDDEN }

test('reports a wallet without access that signs in again and again, but not one after another', () => {
  const one = createTestBed(forbiddenStops)
  const many = createTestBed(forbiddenStops)
  for (let count = 0; count < 7; count++) {
    one.send({ ...DENIED, deniedWallet: 'bw1denied' })
    many.send({ ...DENIED, deniedWallet: `bw1denied${count}` })
    for (const { pass } of [one, many]) pass(1000)
  }
  expect(one.found()).toEqual([
    'a wallet without access got 403 7 times, each time after the previous response',
  ])
  expect(many.found()).toEqual([])
})

const BY_COOKIE = { method: 'POST', url: '/auth/logout', credential: 'session', credentialId: 's1' } as const

test('reports a change by cookie without the header', () => {
  const { send, found } = createTestBed(csrfSent)
  send({ ...BY_COOKIE, status: 403, code: 'csrf_required' })
  expect(found()).toEqual(['POST /auth/logout by cookie, without X-CSRF-Token'])
})

test.each([
  ['a change with it, even a wrong one', { ...BY_COOKIE, hasCsrfToken: true, status: 403 }],
  ['a read', { ...BY_COOKIE, method: 'GET', url: '/swaps' }],
  ['a change by API token', { ...BY_COOKIE, credential: 'api-token' }],
  ['a refresh, which is public', { ...BY_COOKIE, url: '/auth/refresh', isPublic: true }],
] as const)('allows %s', (_what, request) => {
  const { send, found } = createTestBed(csrfSent)
  send(request)
  expect(found()).toEqual([])
})

const VERIFY = { ...STRANGER, method: 'POST', url: '/auth/verify', status: 401, code: 'signature_invalid' }

test('reports a signature over an altered message', () => {
  const { send, found } = createTestBed(messageExact)
  send({ ...VERIFY, alteredMessage: 'trimmed' })
  expect(found()).toEqual(['the signature is over the message trimmed'])
})

test('allows a signature that is wrong in any other way', () => {
  const { send, found, cases } = createTestBed(messageExact)
  send(VERIFY)
  expect([found(), cases()]).toEqual([[], 0])
})

test('reports a secret in the URL of a request and of a socket', () => {
  const { send, open, pass, found } = createTestBed(secretsNotInUrls)
  send({ url: '/swaps?token=x', secretInUrl: 'an API token' })
  pass(60_000)
  open({ secretInUrl: 'a session cookie' })
  expect(found()).toEqual([
    'GET /swaps with an API token in its URL',
    'a socket opened with a session cookie in its URL',
  ])
})

test('never shows the URL itself', () => {
  const { send, observer } = createTestBed(secretsNotInUrls)
  send({ url: '/swaps?token=ss_secret', secretInUrl: 'an API token' })
  expect(JSON.stringify(observer.read({ after: 0, limit: 10 }))).not.toContain('ss_secret')
})

test('allows URLs without secrets', () => {
  const { send, open, found, cases } = createTestBed(secretsNotInUrls)
  send()
  send(STRANGER)
  open()
  expect([found(), cases()]).toEqual([[], 1])
})
