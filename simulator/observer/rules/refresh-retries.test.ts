import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { refreshRetries } from './refresh-retries.ts'

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
