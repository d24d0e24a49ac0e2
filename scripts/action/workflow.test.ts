import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Annotation, annotationLine, unheeded } from './run-action.ts'

const annotation = (part: Partial<Annotation>): Annotation => ({
  kind: 'error',
  title: 'a',
  message: 'b',
  ...part,
})

test.each([
  ['a message may have colons and commas', { message: 'a: b, c::d' }, '::error title=a::a: b, c::d'],
  ['a title may not', { title: 'a: b, c::d' }, '::error title=a%3A b%2C c%3A%3Ad::b'],
  ['line ends stay in the line', { message: 'a\r\nb' }, '::error title=a::a%0D%0Ab'],
  ['what looks escaped is shown as it is', { message: '100%0A%25' }, '::error title=a::100%250A%2525'],
  ['terminals get nothing', { message: '\u001b[2J\u202e\0' }, '::error title=a::\\u001b[2J\\u202e\\u0000'],
  ['a title that is long is cut', { title: 'x'.repeat(300) }, `::error title=${'x'.repeat(200)}…::b`],
  ['so is a message', { message: 'x'.repeat(3000) }, `::error title=a::${'x'.repeat(2000)}…`],
  ['a warning', { kind: 'warning' }, '::warning title=a::b'],
] satisfies [string, Partial<Annotation>, string][])('%s', (_, part, line) => {
  expect(annotationLine(annotation(part))).toBe(line)
})

test('any text becomes one line that reads back as itself', () => {
  const text = fc.string({ unit: fc.constantFrom(...':,%\r\n#[]=ab0D5A ') })
  fc.assert(
    fc.property(text, text, (title, message) => {
      const line = annotationLine(annotation({ title, message }))
      const [, shownTitle = '', shown = ''] = /^::error title=([^:,\r\n]*)::([^\r\n]*)$/.exec(line) ?? []
      expect([unescaped(shownTitle), unescaped(shown)]).toEqual([title, message])
    }),
  )
})

test('commands stop until the token comes again', () => {
  expect(unheeded('t0k')).toEqual({ begin: '::stop-commands::t0k', end: '::t0k::' })
})

/** As a runner does. */
function unescaped(text: string): string {
  const signs = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%25': '%' } as const
  return text.replace(/%(0D|0A|3A|2C|25)/g, (sign) => signs[sign as keyof typeof signs]) // as: what the pattern finds
}
