import fc from 'fast-check'
import stringWidth from 'string-width'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UNSAFE } from '../../reports/hostile-text.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { NO_TERMINAL, type Terminal } from '../io.ts'
import { fitLine } from './open-io.ts'

const CLEAR = '\r\x1b[2K'
const BOTH: Terminal = { stdout: true, stderr: true, columns: () => 20 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('on a terminal the status is one line that is rewritten and removed', () => {
  const { io, written } = writtenIo(BOTH)
  io.status(['one', 'of many more parts'])
  io.status(['two'])
  io.status(null)
  expect(written()).toBe(`${CLEAR}one${CLEAR}two${CLEAR}`)
})

test('other output appears above it', () => {
  const { io, written } = writtenIo(BOTH)
  io.status(['now'])
  io.stdout('result')
  io.stderr('error\n')
  io.log('news')
  io.status(null)
  io.log('more')
  expect(written()).toBe(
    [
      `${CLEAR}now`,
      `${CLEAR}result\n${CLEAR}now`,
      `${CLEAR}error\n${CLEAR}now`,
      `${CLEAR}news\n${CLEAR}now`,
      `${CLEAR}more\n`,
    ].join(''),
  )
})

test('redirected results leave the line alone', () => {
  const { io, written } = writtenIo({ ...BOTH, stdout: false })
  io.status(['now'])
  io.stdout('result')
  expect(written()).toBe(`${CLEAR}nowresult\n`)
})

test('follows the terminal width and leaves the last column free', () => {
  let columns = 8
  const { io, written } = writtenIo({ ...BOTH, columns: () => columns })
  io.status(['12345678'])
  columns = 9
  io.status(['12345678'])
  expect(written()).toBe(`${CLEAR}123456…${CLEAR}12345678`)
})

test('a log gets a whole line after two seconds, then one every ten; a new activity waits two seconds', () => {
  const { io, written } = writtenIo(NO_TERMINAL)
  const logFor = (seconds: number, name: string) => {
    for (let second = 0; second < seconds; second += 1) {
      io.status([`${name} ${second}`, 'x'.repeat(100)])
      vi.advanceTimersByTime(1000)
    }
  }
  for (const [seconds, name] of [
    [1, 'short'],
    [23, 'one'],
    [8, 'two'],
    [10, 'three'],
  ] as const) {
    logFor(seconds, name)
    io.status(null)
  }
  expect(written().match(/^\w+ \d+/gm)).toEqual(['one 2', 'one 12', 'one 22', 'three 2'])
  expect(written().match(/^\w+ \d+; x{100}$/gm)).toHaveLength(4)
})

test.each([BOTH, NO_TERMINAL])('with --quiet only results and errors are printed', (terminal) => {
  const { io, written } = writtenIo(terminal, 'quiet')
  for (let second = 0; second < 30; second += 1) {
    io.status(['now'])
    vi.advanceTimersByTime(1000)
  }
  io.log('news')
  io.stdout('result')
  io.stderr('error\n')
  io.status(null)
  expect(written()).toBe('result\nerror\n')
})

test('no control character of any text reaches the terminal', () => {
  const { io, written } = writtenIo({ ...BOTH, columns: () => 200 })
  const attack = 'planted\u001b]0;title\u0007\r\u009b5m\u202e\nbreakwater: forged\t::error::x'
  io.status([attack, attack])
  for (const way of [io.stdout, io.document, io.stderr, io.log]) way(attack)
  io.status(null)
  const lines = written().replaceAll(CLEAR, '\n').split('\n')
  expect(lines.join('\n')).not.toMatch(UNSAFE)
  expect(lines.filter((line) => line.includes('planted')).length).toBeGreaterThan(8)
  // Line ends of a document are our own.
  expect(lines.filter((line) => line.startsWith('breakwater: forged'))).toHaveLength(1)
})

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
