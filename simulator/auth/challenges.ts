import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import type { Saves } from '../undo-log.ts'
import { createSecret } from './secret.ts'
import type { DemoWallet } from './wallets.ts'

/** Addresses are in wire format. */
export type Challenges = Saves<SavedChallenges> & {
  /** Creates a message to sign, for any address: it does not reveal whether the wallet is known. */
  issue(address: string): { nonce: string; message: string }
  /**
   * Returns the wallet whose signature (r||s, encoded as in the profile) fits one of its open challenges, and uses up the
   * challenge. A wrong signature uses up nothing; otherwise a stranger could lock a wallet out.
   */
  answer(attempt: { address: string; signature: string }): DemoWallet | undefined
  /** Describes the alteration of an open message that the rejected signature covers; null: no known alteration. */
  alteration(attempt: { address: string; signature: string }): string | null
}

type SavedChallenges = Map<string, OpenChallenge[]>
type OpenChallenge = { message: Buffer; expiresAtMs: number }
type Entry = { wallet: DemoWallet; publicKey: KeyObject; open: OpenChallenge[] }

/** A signature for an open message; `publicKey` is the wallet's key, `keys` are all wallets' keys. */
export type Attempt = { message: Buffer; bytes: Buffer; publicKey: KeyObject; keys: readonly KeyObject[] }

export function createChallenges(options: {
  clock: Clock
  stream: RandomStream
  wallets: readonly DemoWallet[]
  choices: Pick<Choices, 'profile' | 'wire' | 'challenge'>
  isSigned?: (attempt: Attempt) => boolean
}): Challenges {
  const { clock, stream, isSigned = isSignedByWallet } = options
  const { lifetimeSeconds, openMax, message: formatMessage } = options.choices.challenge
  const { encoding } = options.choices.profile.signature
  const entries = new Map<string, Entry>(
    options.wallets.map((wallet) => [
      options.choices.wire.address.encode(wallet.address),
      { wallet, publicKey: createPublicKey({ key: wallet.publicKeyJwk, format: 'jwk' }), open: [] },
    ]),
  )

  const keys = [...entries.values()].map(({ publicKey }) => publicKey)

  return {
    issue(address) {
      const nonce = createSecret(stream)
      const issuedAtMs = clock.nowMs()
      const message = formatMessage({ address, nonce, issuedAtMs })
      const entry = entries.get(address)
      if (entry) {
        const expiresAtMs = issuedAtMs + lifetimeSeconds * 1000
        entry.open.push({ message: Buffer.from(message, 'utf8'), expiresAtMs })
        if (entry.open.length > openMax) entry.open.shift()
      }
      return { nonce, message }
    },
    answer({ address, signature }) {
      const entry = entries.get(address)
      if (!entry || !SIGNATURES[encoding].test(signature)) return undefined
      entry.open = entry.open.filter((challenge) => challenge.expiresAtMs > clock.nowMs())
      const bytes = Buffer.from(signature, encoding)
      const { publicKey } = entry
      const index = entry.open.findIndex(({ message }) => isSigned({ message, bytes, publicKey, keys }))
      if (index === -1) return undefined
      entry.open.splice(index, 1)
      return entry.wallet
    },
    alteration({ address, signature }) {
      const entry = entries.get(address)
      if (!entry || !SIGNATURES[encoding].test(signature)) return null
      const { publicKey } = entry
      const bytes = Buffer.from(signature, encoding)
      const isOver = (alter: (text: string) => string) =>
        entry.open
          .slice(-RECENT)
          .some(({ message }) =>
            isSignedByWallet({ message: Buffer.from(alter(String(message))), publicKey, bytes }),
          )
      return ALTERATIONS.find(({ alter }) => isOver(alter))?.words ?? null
    },
    save: () => new Map([...entries].map(([address, { open }]) => [address, open])),
    restore(saved) {
      for (const [address, entry] of entries) entry.open = saved.get(address) ?? []
    },
  }
}

/** Checks an ECDSA SHA-256 signature (r||s) over the exact message with the wallet's key. */
export function isSignedByWallet({ message, publicKey, bytes }: Omit<Attempt, 'keys'>): boolean {
  return verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes)
}

/** Number of newest open challenges to compare with a rejected signature. */
const RECENT = 2

const ALTERATIONS: readonly { words: string; alter(text: string): string }[] = [
  { words: 'trimmed', alter: (text) => text.trim() },
  { words: 'with trailing white space removed', alter: (text) => text.trimEnd() },
  { words: 'in another Unicode form (NFC)', alter: (text) => text.normalize('NFC') },
  { words: 'in another Unicode form (NFD)', alter: (text) => text.normalize('NFD') },
  { words: 'in another Unicode form (NFKC)', alter: (text) => text.normalize('NFKC') },
  { words: 'with other line ends', alter: (text) => text.replaceAll('\r\n', '\n') },
  { words: 'with other line ends', alter: (text) => text.replace(/\r?\n/g, '\r\n') },
  { words: 'trimmed, with other line ends', alter: (text) => text.replaceAll('\r\n', '\n').trim() },
  { words: 'trimmed and in another Unicode form', alter: (text) => text.trim().normalize('NFC') },
]

/** Encodings of the 64 bytes. */
const SIGNATURES = {
  hex: /^[0-9a-f]{128}$/i,
  base64: /^[0-9A-Za-z+/]{86}==$/,
  base64url: /^[0-9A-Za-z_-]{86}$/,
}
