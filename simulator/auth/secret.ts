import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Choices } from '../choices/choices.ts'
import type { RandomStream } from '../random.ts'

/** 256 random bits in base64url: 43 characters that need no escaping in headers, cookies and JSON. */
export function createSecret(stream: RandomStream): string {
  return Buffer.from(stream.bytes(32)).toString('base64url')
}

export type Claims = { use: 'access' | 'ws-ticket'; subject: string; issuedAtMs: number; expiresAtMs: number }

/** Creates a token in the form of the choices. The stub looks either form up by its digest, signature included. */
export function createToken(stream: RandomStream, form: Choices['tokenForm'], claims: Claims): string {
  const secret = createSecret(stream)
  if (form === 'opaque') return secret
  const { use, subject, issuedAtMs, expiresAtMs } = claims
  const seconds = (ms: number) => Math.floor(ms / 1000)
  const payload = {
    sub: subject,
    use,
    iat: seconds(issuedAtMs),
    exp: seconds(expiresAtMs),
    jti: secret.slice(0, 22),
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** SHA-256 in hex: stored instead of the secret, and the key of maps. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex')
}

/** Compares in constant time; used for every secret. */
export function matchesDigest(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret), 'hex'), Buffer.from(expected, 'hex'))
}

/** A version 4 UUID (RFC 9562) from the seeded stream. */
export function createUuid(stream: RandomStream): string {
  const bytes = Buffer.from(stream.bytes(16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
