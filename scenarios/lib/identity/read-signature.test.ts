import { expect, test } from 'vitest'
import { readSignature } from './read-signature.ts'

test('reads the signature of any success', () => {
  expect(readSignature({ status: 201, body: '{"signature":"sig1abc","by":"hsm"}', error: '' })).toEqual({
    signature: 'sig1abc',
  })
})

test.each([
  [0, '', 'request timeout', 'the signer gave no answer: request timeout'],
  [0, '', '', 'the signer gave no answer: no connection'],
  [500, ' out of keys ', '', 'the signer answered 500: out of keys'],
  [404, '', '', 'the signer answered 404: (nothing)'],
  [
    200,
    '<html>Sign in</html>',
    '',
    'the signer answered 200, but not with {"signature": "…"}: <html>Sign in</html>',
  ],
  [200, '{"signature":7}', '', 'the signer answered 200, but not with {"signature": "…"}: {"signature":7}'],
  [200, '{"signature":""}', '', 'the signer answered 200, but not with {"signature": "…"}: {"signature":""}'],
  [200, 'null', '', 'the signer answered 200, but not with {"signature": "…"}: null'],
  [302, '', '', 'the signer answered 302: (nothing)'],
])('%i %j %s', (status, body, error, problem) => {
  expect(readSignature({ status, body, error })).toEqual({ problem })
})

test('shows the beginning of a long answer', () => {
  const answer = readSignature({ status: 502, body: 'x'.repeat(5000), error: '' })
  expect(JSON.stringify(answer).length).toBeLessThan(200)
})
