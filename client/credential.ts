import { createPrivateKey, sign } from 'node:crypto'
import type { Choices, Wallet } from '../contract/profile.ts'
import type { Request } from './send.ts'

/** What shows the exchange who asks. */
export type Credential = {
  /** What goes with a request. Never into its address, where it would end up in logs. */
  headersFor(request: Request): Record<string, string>
  /** Another number whenever another credential has taken the place of the last. */
  version(): number
  /** Puts another in the place of the one of `refusedVersion`, which was refused with 401. Throws where there is none. */
  replace(refusedVersion: number): Promise<void>
}

/** For a bot without a wallet: only who has made the token can make another. */
export function apiTokenCredential(token: string): Credential {
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => 0,
    replace: () => Promise.reject(new Error('the API token was refused: another one is needed')),
  }
}

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
