const ENCODERS = {
  hex: (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  base64: (bytes) => btoa(String.fromCharCode(...bytes)),
  base64url: (bytes) => ENCODERS.base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
}

/**
 * Signs the exact UTF-8 bytes of a message: never trim, normalize or rebuild it. Real wallets sign
 * themselves; the demo wallets have P-256 keys. Needs a secure context: https, or a page on the loopback.
 */
export async function sign(message, { privateKeyJwk, scheme, encoding }) {
  if (scheme !== 'ecdsa-p256-sha256') throw new Error(`this page cannot sign with ${scheme}`)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', privateKeyJwk, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(message))
  return ENCODERS[encoding](new Uint8Array(signature))
}
