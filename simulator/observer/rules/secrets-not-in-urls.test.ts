import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { secretsNotInUrls } from './secrets-not-in-urls.ts'

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
