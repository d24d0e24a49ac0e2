// Globals that k6 2.2 has at run time and @types/k6 does not declare.
declare const console: { log(line: string): void; error(line: string): void }

interface JsonWebKey {
  kty?: string
  crv?: string
  x?: string
  y?: string
  d?: string
}

interface CryptoKey {
  readonly type: string
}

declare const crypto: {
  subtle: {
    importKey(
      format: 'jwk',
      key: JsonWebKey,
      algorithm: { name: 'ECDSA'; namedCurve: 'P-256' },
      extractable: boolean,
      usages: readonly string[],
    ): Promise<CryptoKey>
    sign(
      algorithm: { name: 'ECDSA'; hash: 'SHA-256' },
      key: CryptoKey,
      data: Uint8Array,
    ): Promise<ArrayBuffer>
  }
}

declare class TextEncoder {
  encode(text: string): Uint8Array
}

// Our own module of k6 (k6/budget): counts that all VUs of a test share.
declare module 'k6/x/breakwater' {
  /** Counts so many more under a name if no more than `most` are counted then; else counts none, and returns false. */
  export function take(name: string, count: number, most: number): boolean
  export function taken(name: string): number
}
