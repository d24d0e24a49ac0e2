import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { learnSecrets } from './learn-secrets.ts'
import { createRedactor } from './redact.ts'

const CHOICES = choicesSchema.parse({ verify: { csrfToken: 'data.guard' }, wsTicket: { ticket: 'data' } })

test.each([
  ['a cookie', { path: '/swaps', json: {}, cookies: [{ value: 'SECRET-1234' }] }],
  ['a nonce', { path: '/auth/challenge', json: { data: { nonce: 'SECRET-1234' } }, cookies: [] }],
  ['a CSRF token', { path: '/auth/verify', json: { data: { guard: 'SECRET-1234' } }, cookies: [] }],
  ['a ticket', { path: '/auth/ws-ticket', json: { data: 'SECRET-1234' }, cookies: [] }],
  ['an API token', { path: '/api-tokens', json: { data: { token: 'SECRET-1234' } }, cookies: [] }],
])('%s that a reply hands out is blanked out from then on', (_, reply) => {
  const redactor = createRedactor()
  learnSecrets(redactor, reply, CHOICES)
  expect(redactor.redact('seen: SECRET-1234.')).toBe('seen: <redacted>.')
})

test('the nonce of a swap is public', () => {
  const redactor = createRedactor()
  learnSecrets(redactor, { path: '/swaps', json: { data: [{ nonce: '123456789' }] }, cookies: [] }, CHOICES)
  expect(redactor.redact('swap 123456789field')).toBe('swap 123456789field')
})

test('a choice that is not told teaches nothing', () => {
  const redactor = createRedactor()
  const choices = choicesSchema.parse({ verify: { csrfToken: null }, wsTicket: { ticket: null } })
  learnSecrets(
    redactor,
    { path: '/auth/verify', json: { data: { address: 'bw1address' } }, cookies: [] },
    choices,
  )
  expect(redactor.redact('bw1address')).toBe('bw1address')
})
