import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createByteWriter, readCount, readNumber, takeBytes, writeBytes, writeNumber } from './bytes.ts'

/** What is read of a text before a comma, and where reading then stands; as JSON.parse reads it where it does. */
function read(how: typeof readNumber, text: string): { value: number; at: number } {
  const cursor = { bytes: Buffer.from(`${text},\n`), at: 0 }
  const value = how(cursor)
  return { value, at: cursor.at }
}

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer({ min: -1e9, max: 1e12 }).map((value) => JSON.stringify(value / 1e6)),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 19n }), fc.bigInt({ min: 0n, max: 10n ** 19n }))
    .map(([a, b]) => `${a}.${b}`),
  fc.tuple(fc.nat(), fc.integer({ min: -330, max: 300 })).map(([value, power]) => `${value}e${power}`),
)

test('a number is the one that JSON.parse reads, to the last bit', () => {
  fc.assert(
    fc.property(numbers, (text) => {
      expect(read(readNumber, text)).toEqual({ value: JSON.parse(text), at: text.length })
    }),
    { numRuns: 5000 },
  )
})

test('any text of the letters of numbers is a number only where JSON says so', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0159-+.eE'), maxLength: 8 }), (text) => {
      const value = numberOr(text)
      expect(read(readNumber, text)).toEqual({ value, at: Number.isNaN(value) ? 0 : text.length })
      const isCount = /^(0|[1-9][0-9]*)$/.test(text)
      if (isCount) expect(read(readCount, text)).toEqual({ value, at: text.length })
    }),
    { numRuns: 5000 },
  )
})

test.each(['', '01', '-1', 'x', '1234567890123456'])('%j is no count', (text) => {
  expect(read(readCount, text)).toEqual({ value: -1, at: 0 })
})

function numberOr(text: string): number {
  try {
    return JSON.parse(text)
  } catch {
    return Number.NaN
  }
}

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
