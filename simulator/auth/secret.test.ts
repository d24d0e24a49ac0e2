import { expect, it } from 'vitest'
import { z } from 'zod'
import { createRandom } from '../random.ts'
import { createSecret, createToken, createUuid, digest, matchesDigest } from './secret.ts'

it('draws secrets of 256 bits that need no escaping', () => {
  const stream = createRandom(1).stream('auth')
  const secrets = Array.from({ length: 100 }, () => createSecret(stream))
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(new Set(secrets).size).toBe(100)
})

it('draws version 4 UUIDs', () => {
  const stream = createRandom(1).stream('auth')
  for (let round = 0; round < 100; round++)
    expect(z.uuidv4().safeParse(createUuid(stream)).success).toBe(true)
})

it('digests with SHA-256 (FIPS 180-2, example B.1)', () => {
  expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

it('a secret matches only its own digest', () => {
  expect(matchesDigest('abc', digest('abc'))).toBe(true)
  expect(matchesDigest('abd', digest('abc'))).toBe(false)
})

it('a JWT states its use, subject and expiry; each has a signature of its own', () => {
  const stream = createRandom(1).stream('auth')
  const claims = { use: 'access', subject: 'bw1a', issuedAtMs: 1_000_500, expiresAtMs: 1_900_500 } as const
  const [one, other] = [createToken(stream, 'JWT', claims), createToken(stream, 'JWT', claims)]
  const [head = '', payload = '', signature = ''] = one.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  expect(read(head)).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(read(payload)).toEqual({ sub: 'bw1a', use: 'access', iat: 1000, exp: 1900, jti: expect.any(String) })
  expect(signature).toHaveLength(43)
  expect(other.split('.')[2]).not.toBe(signature)
  expect(createToken(stream, 'opaque', claims)).toMatch(/^[\w-]{43}$/)
})
