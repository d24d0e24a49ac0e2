/** How a set of choices spells what the specification leaves open. */
export type Wire = {
  /** A time, always as a string. */
  timestamp(atMs: number): string
  /** When an access session ends, as the profile's `expiry` says. */
  expiry(atMs: number): string | number
  revision(revision: number): number | string
  /** The fee of a pool, from hundredths of a basis point: an exact string. */
  fee(feePips: number): string
  /** Retry-After: seconds or a date (RFC 9110, section 10.2.3), never before the wait is over. */
  retryAfter(options: { waitMs: number; nowMs: number }): string
  readonly tokenId: Codec
  readonly poolKey: Codec
  /** Of wallets and of tokens. */
  readonly address: Codec
  /** A regular expression for addresses of wallets, such as they are in requests. */
  readonly walletPattern: string
  readonly sessionId: Codec
}

/** A text inside, and the only spelling of it on the wire. */
export type Codec = {
  encode(internal: string): string
  /** undefined: nothing is spelt like that. */
  decode(text: string): string | undefined
}

/** A codec that decodes nothing but what it encodes: of a loose `decode`, only what `encode` turns into the very text. */
export function codec({ encode, decode }: Codec): Codec {
  return {
    encode,
    decode(text) {
      const internal = decode(text)
      return internal !== undefined && encode(internal) === text ? internal : undefined
    },
  }
}

/** The same text on the wire as inside. */
export const identity: Codec = { encode: (internal) => internal, decode: (text) => text }
