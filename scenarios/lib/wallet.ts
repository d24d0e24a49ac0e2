import http from 'k6/http'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, CannotProbe } from './cannot.ts'
import { encodeBytes } from './encode-bytes.ts'
import { redactor } from './redact.ts'

/**
 * The wallets with access that probes may use, by number: a probe that ends sessions takes a number of its own, so that
 * it ends nobody else's. Throws CannotProbe where the profile has too few.
 */
export const WALLET_OF = {
  reads: 0,
  signIn: 1,
  sessions: 2,
  logoutAll: 3,
  race: 4,
  apiTokens: 5,
  feed: 6,
  foreignBalance: 7,
  clock: 8,
  revision: 9,
  limits: 10,
  refreshEnds: 11,
  raceOfFifty: 12,
  tokensOfAnother: 13,
  tokenLife: 14,
  renewalOther: 15,
  feedDelivery: 16,
  faucet: 17,
  faucetOther: 18,
  referral: 19,
} as const

export function walletFor(target: Target, use: keyof typeof WALLET_OF): Wallet {
  const usable = target.wallets.filter((wallet) => wallet.hasAccess && !wallet.admin)
  const wallet = usable[WALLET_OF[use]]
  if (!wallet) {
    throw new CannotProbe(
      `needs a wallet of its own; the profile names ${usable.length} with access, this is number ${WALLET_OF[use] + 1}`,
    )
  }
  return wallet
}

/** The wallets that clients of a mix sign in with: beside probes only the one for reads, whose sessions no probe ends. */
export function walletsForLoad(
  target: Target,
  { besideProbes }: { besideProbes: boolean },
): readonly Wallet[] {
  if (besideProbes) return target.wallets.length === 0 ? [] : [walletFor(target, 'reads')]
  return target.wallets.filter((wallet) => wallet.hasAccess && !wallet.admin)
}

/** Signs the exact UTF-8 bytes of `message`: with the wallet's key, or through the profile's signer. */
export async function sign(target: Target, wallet: Wallet, message: string): Promise<string> {
  const signature = wallet.privateKeyJwk
    ? await signHere(target, wallet.privateKeyJwk, message)
    : await signElsewhere(target, wallet, message)
  redactor.add(signature)
  return signature
}

type PrivateKey = NonNullable<Wallet['privateKeyJwk']>

async function signHere(target: Target, jwk: PrivateKey, message: string): Promise<string> {
  const { scheme, encoding } = target.profile.choices.signature
  if (scheme !== 'ecdsa-p256-sha256') {
    throw new CannotProbe(`the scheme ${scheme} needs a signer endpoint in the profile`)
  }
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    key,
    new TextEncoder().encode(message),
  )
  return encodeBytes(new Uint8Array(signature), encoding)
}

async function signElsewhere(target: Target, wallet: Wallet, message: string): Promise<string> {
  const { signer } = target.profile.credentials
  if (signer === null) {
    throw new CannotProbe(`the wallet ${wallet.address} has no private key, and the profile no signer`)
  }
  const response = await http.asyncRequest(
    'POST',
    signer,
    JSON.stringify({ address: wallet.address, message }),
    {
      headers: { 'Content-Type': 'application/json' },
      jar: new http.CookieJar(),
      tags: { name: 'POST signer', route_group: 'signer' },
    },
  )
  const signature = response.status === 200 ? response.json('signature') : undefined
  if (typeof signature !== 'string')
    throw new CannotJudge(`the signer answered ${response.status} without a signature`)
  return signature
}
