import { expect, test } from 'vitest'
import { textFrame } from './text-frame.ts'

// The headers as RFC 6455 has them.
test.each([
  [0, [0x81, 0]],
  [1, [0x81, 1]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('%i bytes are one frame', (bytes, header) => {
  const text = 'x'.repeat(bytes)
  expect(textFrame(text).equals(Buffer.concat([Buffer.from(header), Buffer.from(text)]))).toBe(true)
})

test('its length counts bytes, not characters', () => {
  const text = 'ü🙂'.repeat(10)
  expect(textFrame(text)[1]).toBe(60)
  expect(textFrame(text).toString('utf8', 2)).toBe(text)
})
