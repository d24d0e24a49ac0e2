import { expect, it } from 'vitest'
import { z } from 'zod'
import { createRandom } from '../random.ts'
import { createSecret, createUuid, digest, matchesDigest } from './secret.ts'

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

it('matches a secret with its own digest only', () => {
  expect(matchesDigest('abc', digest('abc'))).toBe(true)
  expect(matchesDigest('abd', digest('abc'))).toBe(false)
})
