import { createPrivateKey, sign } from 'node:crypto'
import type { Choices, Wallet } from '../contract/profile.ts'

/**
 * The wallet's signature over the exact UTF-8 bytes of a message: never trimmed, normalised or put together anew. ECDSA
 * over P-256 and SHA-256, as r and s.
 */
export function signMessage(
  message: string,
  wallet: Wallet,
  { scheme, encoding }: Choices['signature'],
): string {
  if (scheme !== 'ecdsa-p256-sha256') throw new Error(`this client cannot sign with ${scheme}`)
  if (wallet.privateKeyJwk === undefined) throw new Error(`the wallet ${wallet.address} has no private key`)
  const key = createPrivateKey({ key: wallet.privateKeyJwk, format: 'jwk' })
  return sign('sha256', Buffer.from(message, 'utf8'), { key, dsaEncoding: 'ieee-p1363' }).toString(encoding)
}
