import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differentRebuildings, encodeBytes, REBUILDINGS, readSignature, zeroed } from './signing.ts'

test.each(['hex', 'base64', 'base64url'] as const)(
  'encodes any bytes as %s, as Node does, and all zeros of the same length',
  (encoding) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        expect(encodeBytes(bytes, encoding)).toBe(Buffer.from(bytes).toString(encoding))
        const zeros = new Uint8Array(bytes.length)
        expect(zeroed(encodeBytes(bytes, encoding), encoding)).toBe(encodeBytes(zeros, encoding))
      }),
      { seed: 1 },
    )
  },
)

test('reads the signature of any success', () => {
  expect(readSignature({ status: 201, body: '{"signature":"sig1abc","by":"hsm"}', error: '' })).toEqual({
    signature: 'sig1abc',
  })
})

test.each([
  [0, '', 'request timeout', 'no response from the signer: request timeout'],
  [0, '', '', 'no response from the signer: no connection'],
  [500, ' out of keys ', '', 'the signer returned 500: out of keys'],
  [404, '', '', 'the signer returned 404: (nothing)'],
  [
    200,
    '<html>Sign in</html>',
    '',
    'the signer returned 200 without {"signature": "…"}: <html>Sign in</html>',
  ],
  [200, '{"signature":7}', '', 'the signer returned 200 without {"signature": "…"}: {"signature":7}'],
  [200, '{"signature":""}', '', 'the signer returned 200 without {"signature": "…"}: {"signature":""}'],
  [200, 'null', '', 'the signer returned 200 without {"signature": "…"}: null'],
  [302, '', '', 'the signer returned 302: (nothing)'],
])('%i %j %s', (status, body, error, problem) => {
  expect(readSignature({ status, body, error })).toEqual({ problem })
})

test('shows the beginning of a long response', () => {
  const response = readSignature({ status: 502, body: 'x'.repeat(5000), error: '' })
  expect(JSON.stringify(response).length).toBeLessThan(200)
})

const GIVEN = { message: ' e\u0301\r\nx\n ', nonce: 'n-1', address: 'bw1a' }

test('each rebuilding changes one aspect of a message', () => {
  expect(REBUILDINGS.map(({ how, rebuild }) => [how, rebuild(GIVEN)])).toEqual([
    ['trimmed', 'e\u0301\r\nx'],
    ['with LF line ends', ' e\u0301\nx\n '],
    ['with LF for CRLF', ' e\u0301\nx\n '],
    ['normalized (NFC)', ' \u00e9\r\nx\n '],
    ['trimmed and normalized', '\u00e9\nx'],
    ['trimmed at the end of the text', ' e\u0301\r\nx'],
    ['with CRLF line ends', ' e\u0301\r\nx\r\n '],
    ['normalized (NFD)', GIVEN.message],
    ['normalized (NFKC)', ' \u00e9\r\nx\n '],
    ['with white space collapsed', ' e\u0301 x '],
    ['as its nonce alone', 'n-1'],
    ['as address and nonce', 'bw1a\nn-1'],
  ])
})

test('omits rebuildings that equal the message or each other', () => {
  const hows = (message: string) => differentRebuildings({ ...GIVEN, message }).map(({ how }) => how)
  expect(hows(GIVEN.message)).not.toContain('normalized (NFD)')
  expect(hows(GIVEN.message)).not.toContain('normalized (NFKC)')
  expect(hows('sign n-1')).toEqual(['as its nonce alone', 'as address and nonce'])
  expect(hows('n-1')).toEqual(['as address and nonce'])
})
