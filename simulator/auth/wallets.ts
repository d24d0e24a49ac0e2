import { createECDH, type JsonWebKey } from 'node:crypto'
import type { Random, RandomStream } from '../random.ts'

export type DemoWallet = {
  /** `bw1` and 58 bech32 characters. */
  address: string
  publicKeyJwk: JsonWebKey
  privateKeyJwk: JsonWebKey
  hasAccess: boolean
  admin: boolean
}

const BECH32 = [...'qpzry9x8gf2tvdw0s3jn54khce6mua7l']
/** Order of P-256 (NIST SP 800-186, 3.2.1.3): private keys are smaller. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Derives the stub's wallets from the seed: the first is the administrator, the last has no access. */
export function demoWallets(options: { random: Random; count: number }): readonly DemoWallet[] {
  const { random, count } = options
  if (!(count >= 2))
    throw new RangeError(
      `demo wallets: expected at least 2, an administrator and one without access, found ${count}`,
    )
  const stream = random.stream('wallets')
  return Array.from({ length: count }, (_, index) => ({
    address: `bw1${Array.from({ length: 58 }, () => stream.pick(BECH32)).join('')}`,
    ...createKeyPair(stream),
    hasAccess: index < count - 1,
    admin: index === 0,
  }))
}

function createKeyPair(stream: RandomStream): { publicKeyJwk: JsonWebKey; privateKeyJwk: JsonWebKey } {
  const scalar = stream
    .bigint(1n, P256_ORDER - 1n)
    .toString(16)
    .padStart(64, '0')
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(scalar, 'hex')
  const point = ecdh.getPublicKey() // 0x04, x, y
  const publicKeyJwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  return {
    publicKeyJwk,
    privateKeyJwk: { ...publicKeyJwk, d: Buffer.from(scalar, 'hex').toString('base64url') },
  }
}
