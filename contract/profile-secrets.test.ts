import fc from 'fast-check'
import { expect, test } from 'vitest'
import { profileSchema } from './profile.ts'
import { profileSecrets, secretForms, withoutProfileSecrets } from './profile-secrets.ts'

const buildProfile = (more: object) =>
  profileSchema.parse({
    name: 'staging',
    baseUrl: 'https://exchange.example',
    wsUrl: 'wss://exchange.example',
    ...more,
  })

test.each([
  { what: 'a value', profile: { headers: { 'X-Key': 'abcd-efgh' } }, secret: 'abcd-efgh' },
  { what: 'a bearer', profile: { headers: { Authorization: 'Bearer abcdefgh' } }, secret: 'abcdefgh' },
  {
    what: 'a password of Basic',
    profile: { headers: { Authorization: `Basic ${btoa('me:my:password')}` } },
    secret: 'my:password',
  },
  { what: 'a cookie', profile: { headers: { Cookie: 'a=1; gate=abcdefgh==; b=2' } }, secret: 'abcdefgh==' },
  { what: 'an encoded cookie', profile: { headers: { cookie: 'gate=abcd%20efgh' } }, secret: 'abcd efgh' },
  { what: 'a query', profile: { metrics: 'http://m.example/?key=abcdefgh%2F&a=b' }, secret: 'abcdefgh/' },
  {
    what: 'a query of the signer',
    profile: { credentials: { signer: 'http://s.example/sign?abcdefghij' } },
    secret: 'abcdefghij',
  },
])('knows $what', ({ profile, secret }) => {
  expect(profileSecrets(buildProfile(profile))).toContain(secret)
  expect(withoutProfileSecrets(`seen: ${secret}.`, buildProfile(profile))).toBe('seen: <redacted>.')
})

test('knows none in headers that hold none, nor in short values', () => {
  const headers = {
    Accept: 'application/json',
    'Accept-Encoding': 'gzip, deflate',
    'user-agent': 'breakwater',
    'X-Tier': 'staging',
  }
  expect(profileSecrets(buildProfile({ headers, metrics: 'http://m.example/metrics?a=b' }))).toEqual([])
})

test('knows each secret as URLs, JSON and base64 spell it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }), fc.string(), (secret, more) => {
      const forms = secretForms(secret)
      const bytes = Buffer.from(secret)
      for (const spelt of [
        secret,
        encodeURIComponent(secret),
        JSON.stringify(secret).slice(1, -1),
        bytes.toString('base64').replace(/=+$/, ''),
        bytes.toString('base64url'),
      ]) {
        expect(forms).toContain(spelt)
      }
      const longer = Buffer.from(secret + more).toString('base64')
      expect(forms.some((form) => longer.startsWith(form))).toBe(true)
    }),
  )
})
