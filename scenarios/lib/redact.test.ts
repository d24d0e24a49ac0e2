import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { createRedactor, formatLine, learnSecrets } from './redact.ts'

test('redacts every registered secret, wherever it occurs', () => {
  const redactor = createRedactor()
  redactor.add('0123456789abcdef')
  expect(redactor.redact('a 0123456789abcdef b=0123456789abcdef;')).toBe('a <redacted> b=<redacted>;')
})

test('keeps words that contain the prefix of an API token by chance', () => {
  const redactor = createRedactor()
  expect(redactor.redact('data.access_expires_at')).toBe('data.access_expires_at')
})

test('redacts unregistered values that check like a token', () => {
  const redactor = createRedactor()
  expect(redactor.redact('{"token":"ss_AbC-12_34"} eyJhbGciOi.eyJzdWIi.c2lnbg')).toBe(
    '{"token":"ss_<redacted>"} <redacted>',
  )
})

test('ignores short secrets, which would match everywhere', () => {
  const redactor = createRedactor()
  redactor.add('a')
  redactor.add(undefined)
  expect(redactor.redact('a banana')).toBe('a banana')
})

test.each([
  'token',
  'ticket',
  'csrf_token',
  'ws-ticket',
  'nonce',
  'refreshToken',
  'client_secret',
  'signature',
])('redacts the unregistered field %s of a body', (name) => {
  const redactor = createRedactor()
  expect(redactor.redactBody(JSON.stringify({ data: { [name]: 'Zm9vYmFyYmF6' } }))).toBe(
    `{"data":{"${name}":"<redacted>"}}`,
  )
})

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

test('finds a secret with characters that JSON escapes', () => {
  const redactor = createRedactor()
  redactor.add('line "one"\nline two')
  expect(redactor.redactBody('{"x":"- line \\"one\\"\\nline two -"}')).toBe('{"x":"- <redacted> -"}')
})

test('redacts a learned secret elsewhere: the nonce in the message to sign', () => {
  const redactor = createRedactor()
  const body = { data: { nonce: 'b-3ExCdv2GWc', message: 'Nonce: b-3ExCdv2GWc\r\nIssued: today' } }
  redactor.learn(body)
  expect(redactor.redactBody(JSON.stringify(body))).toBe(
    '{"data":{"nonce":"<redacted>","message":"Nonce: <redacted>\\r\\nIssued: today"}}',
  )
})

test('learns a numeric nonce, which violates the specification', () => {
  const redactor = createRedactor()
  redactor.learn({ data: [{ nonce: 1234567890 }] })
  expect(redactor.redactBody('{"nonce":1234567890,"message":"sign 1234567890"}')).toBe(
    '{"nonce":"<redacted>","message":"sign <redacted>"}',
  )
})

test('learns nothing from a value that is not an object', () => {
  const redactor = createRedactor()
  for (const body of [undefined, null, 'text', 7]) redactor.learn(body)
  expect(redactor.redact('text 7')).toBe('text 7')
})

test('forgets what was learned since a mark, and nothing else', () => {
  const redactor = createRedactor()
  redactor.add('lasting-secret')
  const mark = redactor.mark()
  redactor.add('passing-secret')
  redactor.add('lasting-secret')
  redactor.forgetSince(mark)
  expect(redactor.redact('lasting-secret passing-secret')).toBe('<redacted> passing-secret')
})

test('redacts the longest of secrets with a common prefix, and no forgotten ones', () => {
  const redactor = createRedactor()
  redactor.add('secret-one')
  const mark = redactor.mark()
  redactor.add('secret-one-and-more')
  expect(redactor.redact('a secret-one b secret-one-and-more c secret-o')).toBe(
    'a <redacted> b <redacted> c secret-o',
  )
  redactor.forgetSince(mark)
  expect(redactor.redact('secret-one-and-more')).toBe('<redacted>-and-more')
})

test('finds the same secrets as a naive search', () => {
  const secrets = fc.uniqueArray(fc.stringMatching(/^[a-c]{6}[0-9]{4,6}$/), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(secrets, fc.array(fc.nat(20)), (known, draws) => {
      const redactor = createRedactor()
      for (const secret of known) redactor.add(secret)
      const text = draws.map((draw) => `${known[draw] ?? 'abc abcabc12'} `).join('-')
      const whole = [...known].sort((a, b) => b.length - a.length)
      const expected = whole.reduce((left, secret) => left.split(secret).join('<redacted>'), text)
      expect(redactor.redact(text)).toBe(expected)
    }),
  )
})

test('calls lazy sources when it redacts or forgets', () => {
  const shows = createRedactor()
  shows.addLater(() => ['0123456789abcdef', undefined])
  expect(shows.redact('a 0123456789abcdef')).toBe('a <redacted>')

  const forgets = createRedactor()
  forgets.addLater(() => ['0123456789abcdef'])
  forgets.forgetSince(forgets.mark())
  expect(forgets.redact('a 0123456789abcdef')).toBe('a <redacted>')
})

test('the beginning of a body equals that of the whole redacted body', () => {
  const secret = fc.constantFrom('plain text', 'secret "one"', 'another/secret', 'eyJhbGciOi.eyJzdWIi.c2lnbg')
  const body = fc.oneof(
    fc.json(),
    fc
      .array(fc.record({ token: secret, text: secret, list: fc.array(secret) }))
      .map((rows) => JSON.stringify(rows)),
    fc.array(secret).map((words) => words.join(' ')),
  )
  fc.assert(
    fc.property(body, fc.nat(300), (text, length) => {
      const redactor = createRedactor()
      redactor.add('secret "one"')
      redactor.add('another/secret')
      const whole = redactor.redactBody(text)
      expect(redactor.redactBody(text, length)).toBe(whole.slice(0, length))
      if (text.startsWith('[{')) expect(whole).not.toMatch(/secret|eyJ/)
    }),
  )
})

test('deep levels are cut, but secrets below them are learned anyway', () => {
  const redactor = createRedactor()
  const depth = 50_000
  const text = `${'{"a":'.repeat(depth)}{"token":"deep-secret"}${'}'.repeat(depth)}`
  redactor.learn(JSON.parse(text))
  expect(redactor.redact('deep-secret')).toBe('<redacted>')
  expect(redactor.redactBody(text)).toBe(`${'{"a":'.repeat(1000)}"…"${'}'.repeat(1000)}`)
})

test('checks only the first 100,000 values of a huge body', () => {
  const redactor = createRedactor()
  const rows: unknown[] = Array.from({ length: 100_000 }, () => 0)
  redactor.learn([...rows, { token: 'behind it all' }])
  redactor.learn([{ token: 'in front of it' }, ...rows.slice(2)])
  expect(redactor.redact('behind it all, in front of it')).toBe('behind it all, <redacted>')
})

test('thousands of secrets with a common prefix take no longer than others', () => {
  const redactor = createRedactor()
  const secrets = Array.from({ length: 50_000 }, (_, index) => `same-start-${index}`)
  redactor.learn(secrets.map((token) => ({ token })))
  expect(redactor.redact('same-start-0 same-start-49999 same-start-x')).toBe(
    '<redacted> <redacted> same-start-x',
  )
  redactor.forgetSince(0)
  expect(redactor.redact('same-start-0')).toBe('same-start-0')
})

const CHOICES = choicesSchema.parse({ verify: { csrfToken: 'data.guard' }, wsTicket: { ticket: 'data' } })

test.each([
  ['a cookie', { path: '/swaps', json: {}, cookies: [{ value: 'SECRET-1234' }] }],
  ['a nonce', { path: '/auth/challenge', json: { data: { nonce: 'SECRET-1234' } }, cookies: [] }],
  ['a CSRF token', { path: '/auth/verify', json: { data: { guard: 'SECRET-1234' } }, cookies: [] }],
  ['a ticket', { path: '/auth/ws-ticket', json: { data: 'SECRET-1234' }, cookies: [] }],
  ['an API token', { path: '/api-tokens', json: { data: { token: 'SECRET-1234' } }, cookies: [] }],
])('%s issued by a reply is redacted from then on', (_, reply) => {
  const redactor = createRedactor()
  learnSecrets(redactor, reply, CHOICES)
  expect(redactor.redact('seen: SECRET-1234.')).toBe('seen: <redacted>.')
})

test('the nonce of a swap is public', () => {
  const redactor = createRedactor()
  learnSecrets(redactor, { path: '/swaps', json: { data: [{ nonce: '123456789' }] }, cookies: [] }, CHOICES)
  expect(redactor.redact('swap 123456789field')).toBe('swap 123456789field')
})

test('a null choice registers nothing', () => {
  const redactor = createRedactor()
  const choices = choicesSchema.parse({ verify: { csrfToken: null }, wsTicket: { ticket: null } })
  learnSecrets(
    redactor,
    { path: '/auth/verify', json: { data: { address: 'bw1address' } }, cookies: [] },
    choices,
  )
  expect(redactor.redact('bw1address')).toBe('bw1address')
})

test('a line contains neither line breaks nor addresses that vary from run to run', () => {
  expect(formatLine('read tcp 127.0.0.1:41234->127.0.0.1:8080:\n connection  reset')).toBe(
    'read tcp <address>-><address>: connection reset',
  )
  expect(formatLine('dial [::1]:8080')).toBe('dial <address>')
})

test('a long text is cut, with its length', () => {
  expect(formatLine('x'.repeat(240))).toBe('x'.repeat(240))
  expect(formatLine('x'.repeat(300))).toBe(`${'x'.repeat(240)}… (300 characters)`)
})
