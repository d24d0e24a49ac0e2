import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBytes } from './encode-bytes.ts'

test.each(['hex', 'base64', 'base64url'] as const)('encodes any bytes as %s, as Node does', (encoding) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(encodeBytes(bytes, encoding)).toBe(Buffer.from(bytes).toString(encoding))
    }),
    { seed: 1 },
  )
})
