import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alteredSecrets } from './altered-secrets.ts'

test('changes one character of an opaque secret at a time, takes the end of another, and drops a half', () => {
  expect(alteredSecrets('MMMMMMMM', 'NNNNNNNN')).toEqual([
    { how: 'another middle character', secret: 'MMMMsMMM' },
    { how: 'the end of another', secret: 'MMMMNNNN' },
    { how: 'another character in its first half', secret: 'MMsMMMMM' },
    { how: 'another character in its last half', secret: 'MMMMMMsM' },
    { how: 'its first half alone', secret: 'MMMM' },
    { how: 'another first character', secret: 'sMMMMMMM' },
    { how: 'another last character', secret: 'MMMMMMMs' },
  ])
})

test('changes each part of a JWT, its signature too, and leaves the signature out', () => {
  expect(alteredSecrets('eyJh.eyJz.c2ln', 'eyJh.eyJ0.b3Ro')).toEqual([
    { how: 'another character in part 1', secret: 'eyph.eyJz.c2ln' },
    { how: 'another character in part 2', secret: 'eyJh.eypz.c2ln' },
    { how: 'another character in part 3', secret: 'eyJh.eyJz.c2Fn' },
    { how: 'the end of another', secret: 'eyJh.eyJz.b3Ro' },
    { how: 'no signature', secret: 'eyJh.eyJz.', isAttack: true },
    {
      how: 'a header that says it is not signed',
      secret: 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJz.',
      isAttack: true,
    },
    { how: 'another character in its first half', secret: 'eyJB.eyJz.c2ln' },
    { how: 'another character in its last half', secret: 'eyJh.eyJz.82ln' },
    { how: 'its first half alone', secret: 'eyJh.ey' },
    { how: 'its last half alone', secret: 'Jz.c2ln' },
    { how: 'another first character', secret: '-yJh.eyJz.c2ln' },
    { how: 'another last character', secret: 'eyJh.eyJz.c2lH' },
  ])
})

test('swaps the case of a secret whose letters tell it apart', () => {
  const swapped = (secret: string) =>
    alteredSecrets(secret).find(({ how }) => how === 'upper and lower case swapped')?.secret
  expect(swapped('ab-Yz34Yz34Yz34Yz34')).toBe('AB-yZ34yZ34yZ34yZ34')
  for (const caseless of [
    'Key_YZ34YZ34YZ34YZ34',
    'yz34yz34yz34yz34',
    'AbCdEf01AbCdEf01',
    'Yz34-Yz34-Yz34-Yz34',
  ])
    expect(swapped(caseless)).toBeUndefined()
})

test('uses the header of an unsigned JWT', () => {
  const header = alteredSecrets('eyJh.eyJz.c2ln').find(({ how }) => how.startsWith('a header'))
  expect(JSON.parse(Buffer.from(header?.secret.split('.')[0] ?? '', 'base64url').toString()).alg).toBe('none')
})

test('keeps the alphabet of the secret', () => {
  expect(alteredSecrets('12345678').map(({ secret }) => secret)).toEqual([
    '12340678',
    '12845678',
    '12345628',
    '1234',
    '5678',
    '62345678',
    '12345673',
  ])
  expect(alteredSecrets('c0ffee-00').map(({ secret }) => secret)).toEqual([
    'c0ff6e-00',
    'c07fee-00',
    'c0ffe6-00',
    'c0ff',
    'ee-00',
    '40ffee-00',
    'c0ffee-08',
  ])
})

test.each(['hex', 'base64', 'base64url'] as const)('none decodes to the same bytes: %s', (encoding) => {
  const bytes = fc.uint8Array({ minLength: 8, maxLength: 40 })
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const [secret, another] = [one, other].map((each) => Buffer.from(each).toString(encoding))
      const decoded = alteredSecrets(secret ?? '', another).map((each) => Buffer.from(each.secret, encoding))
      expect(decoded.length).toBeGreaterThanOrEqual(3)
      for (const each of decoded) {
        expect(each.equals(one)).toBe(false)
        expect(each.equals(other)).toBe(false)
      }
    }),
  )
})

test('omits results that equal an input', () => {
  expect(alteredSecrets('')).toEqual([])
  expect(alteredSecrets('...')).toEqual([])
  expect(alteredSecrets('AAAA.BBBB', 'AAAA.CCCC').map(({ secret }) => secret)).not.toContain('AAAA.CCCC')
})
