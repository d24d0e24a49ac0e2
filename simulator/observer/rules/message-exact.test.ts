import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { messageExact } from './message-exact.ts'

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
