import { expect, test } from 'vitest'
import { createRedactor } from './redact.ts'

test('blanks out every secret that it was told of, wherever it stands', () => {
  const redactor = createRedactor()
  redactor.add('0123456789abcdef')
  expect(redactor.redact('a 0123456789abcdef b=0123456789abcdef;')).toBe('a <redacted> b=<redacted>;')
})

test('blanks out what looks like a token, told of or not', () => {
  const redactor = createRedactor()
  expect(redactor.redact('{"token":"ss_AbC-12_34"} eyJhbGciOi.eyJzdWIi.c2lnbg')).toBe(
    '{"token":"ss_<redacted>"} <redacted>',
  )
})

test('leaves short texts alone, which would blank out half of every line', () => {
  const redactor = createRedactor()
  redactor.add('a')
  redactor.add(undefined)
  expect(redactor.redact('a banana')).toBe('a banana')
})

test.each(['token', 'ticket', 'csrf_token', 'ws-ticket', 'nonce', 'refreshToken', 'client_secret'])(
  'blanks out what a body holds under %s, which nobody told it',
  (name) => {
    const redactor = createRedactor()
    expect(redactor.redactBody(JSON.stringify({ data: { [name]: 'Zm9vYmFyYmF6' } }))).toBe(
      `{"data":{"${name}":"<redacted>"}}`,
    )
  },
)

test('leaves public ids in a body', () => {
  const redactor = createRedactor()
  const body =
    '{"token0":"123456789field","token_in":"123456789field","amm_token_program":"token_program.aleo"}'
  expect(redactor.redactBody(body)).toBe(body)
})

test('finds a secret behind JSON escapes', () => {
  const redactor = createRedactor()
  redactor.add('abc/def/ghi')
  expect(redactor.redactBody('{"x":"abc\\/def\\/ghi"}')).toBe('{"x":"<redacted>"}')
})
