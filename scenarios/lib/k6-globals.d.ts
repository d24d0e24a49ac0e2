/// <reference path="./k6-modules.d.ts" />
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
