import { expect, test } from 'vitest'
import { visible, visibleLine } from './visible.ts'

test.each([
  { what: 'a terminal escape', text: '\u001b[2J', shown: '\\u001b[2J' },
  { what: 'a control of the second set', text: '\u009b31m', shown: '\\u009b31m' },
  { what: 'a change of direction', text: 'a\u202egnp.exe', shown: 'a\\u202egnp.exe' },
  { what: 'half a character', text: 'a\ud83d', shown: 'a\\ud83d' },
])('shows $what as an escape', ({ text, shown }) => {
  expect(visible(text)).toBe(shown)
})

test.each(['line\n\tend', 'עברית', '👩‍👩‍👧', 'Ünïcode'])('leaves %j as it is', (text) => {
  expect(visible(text)).toBe(text)
})

test('joins lines and reports what was cut', () => {
  expect(visibleLine('a\r\n  b', 10)).toBe('a ⏎ b')
  expect(visibleLine('x'.repeat(12), 10)).toBe(`${'x'.repeat(10)}… (2 characters more)`)
  expect(visibleLine('x'.repeat(12), 10, 'findings.ndjson')).toBe(
    `${'x'.repeat(10)}… (2 characters more in findings.ndjson)`,
  )
})

test.each([
  ['a \n \n b', 'a ⏎ b'],
  ['\n a', ' ⏎ a'],
  ['  a\n', '  a ⏎ '],
])('removes white space next to line ends: %j', (text, shown) => {
  expect(visibleLine(text)).toBe(shown)
})

test('cuts a very long line before it cleans it', () => {
  const text = ' '.repeat(10_000_000)
  expect(visibleLine(text, 10)).toBe(`${' '.repeat(10)}… (9999990 characters more)`)
})
