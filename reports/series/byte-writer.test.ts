import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createByteWriter, takeBytes, writeBytes, writeNumber } from './byte-writer.ts'

test('numbers are written as JSON writes them', () => {
  const numbers = fc.oneof(
    fc.integer(),
    fc.integer({ min: -20_000, max: 20_000 }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(-0, 0, 9, 10, 999_999_999, 1e9, -999_999_999, -1e9, 1e21, 1e-7),
  )
  const writer = createByteWriter()
  fc.assert(
    fc.property(numbers, (value) => {
      writeNumber(writer, value)
      expect(takeBytes(writer).toString()).toBe(JSON.stringify(value))
    }),
    { numRuns: 5000 },
  )
})

test('what is written follows on what was, however much there is', () => {
  const writer = createByteWriter()
  const piece = Buffer.from('ü'.repeat(100_000))
  for (let count = 0; count < 9; count += 1) {
    writeBytes(writer, piece)
    writeNumber(writer, count)
  }
  const expected = Array.from({ length: 9 }, (_, count) => `${piece}${count}`).join('')
  expect(takeBytes(writer).equals(Buffer.from(expected))).toBe(true)
  expect(takeBytes(writer).length).toBe(0)
})
