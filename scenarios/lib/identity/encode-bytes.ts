const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Bytes as text; base64 is padded, base64url is not (RFC 4648). */
export function encodeBytes(bytes: Uint8Array, encoding: 'hex' | 'base64' | 'base64url'): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const padded = base64(bytes)
  return encoding === 'base64' ? padded : padded.replace(/\+/g, '-').replace(/\//g, '_').replaceAll('=', '')
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(start, start + 3)
    const bits = (first << 16) | (second << 8) | third
    const group = [18, 12, 6, 0].map((shift) => ALPHABET.charAt((bits >> shift) & 63)).join('')
    const missing = Math.max(0, start + 3 - bytes.length)
    text += group.slice(0, 4 - missing) + '='.repeat(missing)
  }
  return text
}
