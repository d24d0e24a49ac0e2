import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { csrfSent } from './csrf-sent.ts'

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
