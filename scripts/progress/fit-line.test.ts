import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { fitLine } from './open-io.ts'

const PARTS = ['probing: 24 of 172 rules', '12 s of 300 s', '105/s, p95 12.3 ms']

test.each([
  { columns: 80, line: 'probing: 24 of 172 rules; 12 s of 300 s; 105/s, p95 12.3 ms' },
  { columns: 59, line: 'probing: 24 of 172 rules; 12 s of 300 s; 105/s, p95 12.3 ms' },
  { columns: 58, line: 'probing: 24 of 172 rules; 12 s of 300 s' },
  { columns: 38, line: 'probing: 24 of 172 rules' },
  { columns: 24, line: 'probing: 24 of 172 rules' },
  { columns: 23, line: 'probing: 24 of 172 rul…' },
  { columns: 1, line: '…' },
  { columns: 0, line: '' },
])('of $columns columns: $line', ({ columns, line }) => {
  expect(fitLine(PARTS, columns)).toBe(line)
})

test.each([
  { what: 'wide characters count as two', parts: ['交易所', 'x'], columns: 6, line: '交易所' },
  { what: 'a wide character is not halved', parts: ['交易所'], columns: 4, line: '交…' },
  {
    what: 'an emoji of several code points stays whole',
    parts: ['👩‍💻👩‍💻👩‍💻'],
    columns: 5,
    line: '👩‍💻👩‍💻…',
  },
  { what: 'an accent stays with its letter', parts: ['e\u0301e\u0301e\u0301'], columns: 2, line: 'e\u0301…' },
  { what: 'empty parts leave no gap', parts: ['a', '', 'b'], columns: 9, line: 'a; b' },
  {
    what: 'nothing else can control the terminal',
    parts: ['\u001b[2Jx\r\ny'],
    columns: 30,
    line: '\\u001b[2Jx ⏎ y',
  },
])('$what', ({ parts, columns, line }) => {
  expect(fitLine(parts, columns)).toBe(line)
})

test('whatever the parts are, the line is never too wide and has no control characters', () => {
  const part = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), fc.integer({ min: 0, max: 200 }), (parts, columns) => {
      const line = fitLine(parts, columns)
      expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      expect(line).not.toMatch(/\p{Cc}/u)
    }),
  )
})
