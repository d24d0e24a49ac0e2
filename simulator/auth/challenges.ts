import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { CHOICES } from '../choices.ts'
import type { Clock } from '../clock.ts'
import type { Saves } from '../part.ts'
import type { RandomStream } from '../random.ts'
import { createSecret } from './secret.ts'
import type { DemoWallet } from './wallets.ts'

export type Challenges = Saves<SavedChallenges> & {
  /** A message to sign, for any address: whether a wallet is known shows only in who can answer. */
  issue(address: string): { nonce: string; message: string }
  /**
   * The wallet whose signature (hex of r||s) fits one of its open challenges, which is thereby used up. A wrong answer
   * uses up nothing, or a stranger could keep a wallet out.
   */
  answer(attempt: { address: string; signature: string }): DemoWallet | undefined
}

/** The open ones, by the wallet's address. */
type SavedChallenges = Map<string, OpenChallenge[]>
type OpenChallenge = { message: Buffer; expiresAtMs: number }
type Entry = { wallet: DemoWallet; publicKey: KeyObject; open: OpenChallenge[] }

export function createChallenges(options: {
  clock: Clock
  stream: RandomStream
  wallets: readonly DemoWallet[]
}): Challenges {
  const { clock, stream } = options
  const entries = new Map<string, Entry>(
    options.wallets.map((wallet) => [
      wallet.address,
      { wallet, publicKey: createPublicKey({ key: wallet.publicKeyJwk, format: 'jwk' }), open: [] },
    ]),
  )

  return {
    issue(address) {
      const nonce = createSecret(stream)
      const issuedAtMs = clock.nowMs()
      const message = challengeMessage({ address, nonce, issuedAtMs })
      const entry = entries.get(address)
      if (entry) {
        const expiresAtMs = issuedAtMs + CHOICES.challenge.lifetimeSeconds * 1000
        entry.open.push({ message: Buffer.from(message, 'utf8'), expiresAtMs })
        if (entry.open.length > CHOICES.challenge.openMax) entry.open.shift()
      }
      return { nonce, message }
    },
    answer({ address, signature }) {
      const entry = entries.get(address)
      if (!entry || !/^[0-9a-f]{128}$/i.test(signature)) return undefined
      entry.open = entry.open.filter((challenge) => challenge.expiresAtMs > clock.nowMs())
      const key = { key: entry.publicKey, dsaEncoding: 'ieee-p1363' } as const
      const bytes = Buffer.from(signature, 'hex')
      const index = entry.open.findIndex(({ message }) => verify('sha256', message, key, bytes))
      if (index === -1) return undefined
      entry.open.splice(index, 1)
      return entry.wallet
    },
    save: () => new Map([...entries].map(([address, { open }]) => [address, open])),
    restore(saved) {
      for (const [address, entry] of entries) entry.open = saved.get(address) ?? []
    },
  }
}

/**
 * Hard on purpose for a client that rebuilds, trims or normalises it (specification, Authentication 4.2): several lines,
 * a CRLF, a letter in decomposed form beside one in composed form, a no-break space, white space at the end.
 */
function challengeMessage(options: { address: string; nonce: string; issuedAtMs: number }): string {
  return [
    'Breakwater exchange · sign in',
    '',
    `Wallet:\t${options.address}`,
    `Nonce:  ${options.nonce}\r`,
    `Issued:\u00a0${new Date(options.issuedAtMs).toISOString()} `,
    '',
    'I accept the terms of use (re\u0301vise\u0301es, révisées) ⚓.  ',
    ' ',
    '',
  ].join('\n')
}
