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
      // Different alterations may give the same text.
      const checked = new Set<string>()
      const isOver = (alter: (text: string) => string) =>
        entry.open.slice(-RECENT).some(({ message }) => {
          const altered = alter(String(message))
          if (checked.has(altered)) return false
          checked.add(altered)
          return isSignedByWallet({ message: Buffer.from(altered), publicKey, bytes })
        })
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

type Alteration = { words: string; alter(text: string): string }

const AS_IT_IS: Alteration = { words: '', alter: (text) => text }
/** Line breaks of languages that split texts into lines, such as `splitlines` of Python. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\x85\u2028\u2029]/
const WHITE_SPACE: readonly Alteration[] = [
  AS_IT_IS,
  { words: 'trimmed', alter: (text) => text.trim() },
  { words: 'with trailing white space removed', alter: (text) => text.trimEnd() },
  { words: 'with leading white space removed', alter: (text) => text.trimStart() },
  { words: 'without its last line end', alter: (text) => text.replace(/\r?\n$/, '') },
  { words: 'with single spaces for white space', alter: (text) => text.trim().replace(/\s+/g, ' ') },
]
const LINE_ENDS: readonly Alteration[] = [
  AS_IT_IS,
  { words: 'with other line ends', alter: (text) => text.replaceAll('\r\n', '\n') },
  { words: 'with other line ends', alter: (text) => text.replace(/\r?\n/g, '\r\n') },
  { words: 'joined again from its lines', alter: (text) => text.split(LINE_BREAKS).join('\n') },
]
const FORMS: readonly Alteration[] = [
  AS_IT_IS,
  ...['NFC', 'NFD', 'NFKC'].map((form) => ({
    words: `in another Unicode form (${form})`,
    alter: (text: string) => text.normalize(form),
  })),
]

/** A client may do several of these at once, such as trim the message and normalize it. The simplest come first. */
const ALTERATIONS: readonly Alteration[] = LINE_ENDS.flatMap((lineEnds) =>
  FORMS.flatMap((form) =>
    WHITE_SPACE.map((whiteSpace) => ({
      steps: [lineEnds, form, whiteSpace].filter((step) => step !== AS_IT_IS),
    })),
  ),
)
  .filter(({ steps }) => steps.length > 0)
  .sort((one, other) => one.steps.length - other.steps.length)
  .map(({ steps }) => ({
    words: steps.map(({ words }) => words).join(', '),
    alter: (text) => steps.reduce((altered, { alter }) => alter(altered), text),
  }))

/** Encodings of the 64 bytes. */
const SIGNATURES = {
  hex: /^[0-9a-f]{128}$/i,
  base64: /^[0-9A-Za-z+/]{86}==$/,
  base64url: /^[0-9A-Za-z_-]{86}$/,
}
