/** How a set of choices spells what the specification leaves open. */
export type Wire = {
  /** A time, always as a string. */
  timestamp(atMs: number): string
  /** When an access session ends, as the profile's `expiry` says. */
  expiry(atMs: number): string | number
  revision(revision: number): number | string
  readonly tokenId: Codec
  readonly poolKey: Codec
  /** Of wallets and of tokens. */
  readonly address: Codec
}

/** A text inside, and the only spelling of it on the wire. */
export type Codec = {
  encode(internal: string): string
  /** undefined: nothing is spelt like that. */
  decode(text: string): string | undefined
}

/** The same text on the wire as inside. */
export const identity: Codec = { encode: (internal) => internal, decode: (text) => text }
