import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileText, logCommands, UNSAFE } from '../reports/hostile-text.ts'
import { documentText, messageText, paintFor } from './terminal-text.ts'

const paint = paintFor({
  env: { FORCE_COLOR: '1' },
  terminal: { stdout: true, stderr: true, columns: () => 80 },
})

test('a message has no control characters except its line ends, no command, and no line that looks like another message', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const shown = messageText(`breakwater: ${text}`)
      expect(shown).not.toMatch(UNSAFE)
      expect(logCommands(shown)).toEqual([])
      const [first = '', ...others] = shown.split('\n')
      expect(first).toMatch(/^breakwater: /)
      for (const line of others) expect(line).toMatch(/^ {2}./)
      expect(logCommands(messageText(text))).toEqual([])
    }),
  )
})

test('escaping twice changes nothing', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const once = messageText(text)
      expect(messageText(once)).toBe(once)
    }),
  )
})

test('a JSON document keeps its value, whatever it quotes', () => {
  const value = fc.jsonValue().chain((other) => fc.record({ text: hostileText, other: fc.constant(other) }))
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), (data, indent) => {
      const shown = documentText(JSON.stringify(data, null, indent))
      expect(shown).not.toMatch(UNSAFE)
      expect(logCommands(shown)).toEqual([])
      expect(JSON.stringify(JSON.parse(shown))).toBe(JSON.stringify(data))
      if (indent === 0) expect(messageText(JSON.stringify(data))).toBe(shown)
    }),
  )
})

test('colors are ours, and never from the text', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const shown = messageText(`${paint.red(`fail ${text}`)} end`)
      expect(shown.split('\u001b')).toHaveLength(3)
      expect(shown.startsWith('\u001b[31mfail ')).toBe(true)
      expect(shown.endsWith('\u001b[39m end')).toBe(true)
    }),
  )
})

test.each([
  ['a title', '\u001b]0;gotcha\u0007', '\\u001b]0;gotcha\\u0007'],
  ['a carriage return', 'real\rbreakwater: forged', 'real\n  breakwater: forged'],
  ['a line of ours', 'x\nbreakwater: forged', 'x\n  breakwater: forged'],
  ['an indented line', 'x\n    y\n z', 'x\n    y\n   z'],
  ['a screen of empty lines', 'x\n\n\n\ny', 'x\n  y'],
  ['a tab', 'a\tb', 'a b'],
  ['a command of GitHub', '::error::x', '\\u003a:error::x'],
  ['one after white space', 'x\n \t::add-mask::x', 'x\n  \\u003a:add-mask::x'],
  ['one of the older kind', 'x ##[add-path]y', 'x #\\u0023[add-path]y'],
  ['one of Azure Pipelines', '##vso[task.setvariable]y', '#\\u0023vso[task.setvariable]y'],
  ['what only looks like one', 'a::b, ## [x], fe80::1', 'a::b, ## [x], fe80::1'],
])('%s', (_, text, shown) => {
  expect(messageText(text)).toBe(shown)
})

test('a document keeps its lines', () => {
  expect(documentText('{\n  "a": "\u202e"\n\n}')).toBe('{\n  "a": "\\u202e"\n\n}')
})

const OUT_ONLY = { stdout: true, stderr: false, columns: () => 80 }

test.each([
  { env: {}, stream: 'stdout', isPainted: true },
  { env: {}, stream: 'stderr', isPainted: false },
  { env: { NO_COLOR: '1' }, stream: 'stdout', isPainted: false },
  { env: { NO_COLOR: '' }, stream: 'stdout', isPainted: true },
  { env: { FORCE_COLOR: '1' }, stream: 'stderr', isPainted: true },
  { env: { FORCE_COLOR: '' }, stream: 'stderr', isPainted: false },
  { env: { FORCE_COLOR: '0' }, stream: 'stdout', isPainted: false },
  { env: { FORCE_COLOR: 'false' }, stream: 'stdout', isPainted: false },
  { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, stream: 'stdout', isPainted: false },
] as const)('$env, $stream: $isPainted', ({ env, stream, isPainted }) => {
  const text = messageText(paintFor({ env, terminal: OUT_ONLY }, stream).red('x'))
  expect(text).toBe(isPainted ? '\u001b[31mx\u001b[39m' : 'x')
})
