import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { configRetriesPending } from './config-retries-pending.ts'

const PENDING = {
  url: '/protocol/state?minimum_revision=7',
  route: '/protocol/state',
  status: 503,
  code: 'protocol_revision_pending',
  retryAfterMs: 1000,
}

test('accuses who asks again and again before the wait is over', () => {
  const { ask, pass, found } = createTestBed(configRetriesPending)
  for (let count = 0; count < 3; count++) {
    ask(PENDING)
    pass(200)
  }
  expect(found()).toEqual([
    'asked for /protocol/state?minimum_revision=7 again before Retry-After was over, 2 times in a row',
  ])
})

test('accuses who never asks again, though its socket is open', () => {
  const { open, ask, pass, found } = createTestBed(configRetriesPending)
  open().authenticate()
  ask(PENDING)
  pass(31_000)
  expect(found()).toEqual([
    'asked for /protocol/state?minimum_revision=7, which was pending, and not again within 30 s after Retry-After',
  ])
})

test('lets pass who waits, time after time, until it is there', () => {
  const { open, ask, pass, found, cases } = createTestBed(configRetriesPending)
  open().authenticate()
  for (let count = 0; count < 5; count++) {
    ask(PENDING)
    pass(1001)
  }
  ask({ ...PENDING, status: 200, code: null, retryAfterMs: null })
  pass(60_000)
  expect([found(), cases()]).toEqual([[], 5])
})

test('lets pass who has no socket, and so may have ended', () => {
  const { ask, pass, found } = createTestBed(configRetriesPending)
  ask(PENDING)
  pass(60_000)
  expect(found()).toEqual([])
})
