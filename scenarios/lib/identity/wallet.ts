import http from 'k6/http'
import type { Wallet } from '../../../contract/profile.ts'
import { PROBE_WALLETS, type Target } from '../../../contract/scenario-config.ts'
import { redactor } from '../redact.ts'
import { CannotJudge, CannotProbe } from '../verdict/judge.ts'
import { type Given, shareWallet, usableWallets } from './shared-wallets.ts'
import { encodeBytes, readSignature } from './signing.ts'

const TIMEOUT = '10s'
const SILENCES_MAX = 2

/** Timeouts per signer. A hanging signer would delay every sign-in of the run. */
const silences = new Map<string, number>()

/** Lets the endpoint sign the exact UTF-8 bytes of `message`. Throws CannotJudge if it does not. */
async function requestSignature(url: string, payload: { address: string; message: string }): Promise<string> {
  const silent = silences.get(url) ?? 0
  if (silent >= SILENCES_MAX)
    throw new CannotJudge(`the signer did not respond ${silent} times, and is no longer used`)
  const { status, body, error } = await http.asyncRequest('POST', url, JSON.stringify(payload), {
    headers: { 'Content-Type': 'application/json' },
    jar: new http.CookieJar(),
    redirects: 0,
    timeout: TIMEOUT,
    tags: { name: 'POST signer', route_group: 'signer' },
  })
  if (status === 0) silences.set(url, silent + 1)
  const read = readSignature({ status, body: typeof body === 'string' ? body : '', error })
  if ('problem' in read) throw new CannotJudge(read.problem)
  return read.signature
}

/**
 * Wallet index of each use. A probe that ends sessions has its own index, so it ends no other probe's
 * sessions.
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

export type WalletUse = keyof typeof WALLET_OF

if (Object.keys(WALLET_OF).length !== PROBE_WALLETS)
  throw new Error(`expected ${PROBE_WALLETS} uses of wallets`)

/** Uses that stand for another user. */
const OTHERS: readonly WalletUse[] = ['foreignBalance', 'tokensOfAnother', 'renewalOther', 'faucetOther']

const givenTo = new WeakMap<Target, Given>()

/**
 * Returns a wallet of its own for the use, or a shared one if the profile has fewer wallets than uses. Throws
 * CannotProbe if it has too few to share.
 */
export function walletFor(target: Target, use: WalletUse): Wallet {
  const usable = usableWallets(target)
  const own = usable.length < PROBE_WALLETS ? undefined : usable[WALLET_OF[use]]
  if (own) return own
  const given: Given = givenTo.get(target) ?? new Map()
  givenTo.set(target, given)
  return shareWallet(usable, {
    use,
    number: WALLET_OF[use],
    standsForOther: OTHERS.includes(use),
    // The wallet for reads may coincide with any other use.
    given: use === 'reads' ? new Map() : given,
  })
}

/**
 * Wallets for the clients of a mix. With probes running, only the `reads` wallet, whose sessions no probe
 * ends.
 */
export function walletsForLoad(target: Target, { withProbes }: { withProbes: boolean }): readonly Wallet[] {
  const usable = usableWallets(target)
  return withProbes ? usable.slice(WALLET_OF.reads, WALLET_OF.reads + 1) : usable
}

/** Throws CannotProbe if both uses get the same wallet. */
export function differentWallets(
  target: Target,
  ...uses: [keyof typeof WALLET_OF, keyof typeof WALLET_OF]
): [Wallet, Wallet] {
  const [one, other] = [walletFor(target, uses[0]), walletFor(target, uses[1])]
  if (one.address === other.address) throw new CannotProbe('needs two wallets with access', 'wallets')
  return [one, other]
}

/** Throws CannotProbe if the profile has no administrator wallet. */
export function requireAdministrator(target: Target): Wallet {
  const wallet = target.wallets.find(({ admin }) => admin)
  if (!wallet) throw new CannotProbe('the profile has no administrator wallet', 'admin')
  return wallet
}

const SIGNED_HERE = 'ecdsa-p256-sha256'

/**
 * Signs the exact UTF-8 bytes of `message`: with the wallet's key if Breakwater supports the scheme, else
 * through the signer endpoint.
 */
export async function sign(target: Target, wallet: Wallet, message: string): Promise<string> {
  const { choices, credentials } = target.profile
  const { scheme, encoding } = choices.signature
  const key = scheme === SIGNED_HERE ? wallet.privateKeyJwk : undefined
  if (key === undefined && credentials.signer === null) {
    throw new CannotProbe(
      scheme === SIGNED_HERE
        ? `the wallet ${wallet.address} has no private key, and the profile no signer`
        : `the scheme ${scheme} needs a signer endpoint in the profile`,
    )
  }
  const signature = key
    ? await signHere(key, { encoding, message })
    : await requestSignature(credentials.signer ?? '', { address: wallet.address, message })
  redactor.add(signature)
  return signature
}

type PrivateKey = NonNullable<Wallet['privateKeyJwk']>

async function signHere(
  jwk: PrivateKey,
  { encoding, message }: { encoding: Parameters<typeof encodeBytes>[1]; message: string },
): Promise<string> {
  redactor.add(jwk.d)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    key,
    new TextEncoder().encode(message),
  )
  return encodeBytes(new Uint8Array(signature), encoding)
}
