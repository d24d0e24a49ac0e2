const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** base64 is padded, base64url is not (RFC 4648). */
export function encodeBytes(bytes: Uint8Array, encoding: 'hex' | 'base64' | 'base64url'): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const padded = base64(bytes)
  return encoding === 'base64' ? padded : padded.replace(/\+/g, '-').replace(/\//g, '_').replaceAll('=', '')
}

/** A signature of the same length whose bytes are all zero. */
export function zeroed(signature: string, encoding: Parameters<typeof encodeBytes>[1]): string {
  return signature.replace(/[^=]/g, encoding === 'hex' ? '0' : 'A')
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

/**
 * Reads a signer endpoint's response: its signature, or a description of the problem. Status 0 means no
 * response.
 */
export function readSignature(reply: {
  status: number
  body: string
  error: string
}): { signature: string } | { problem: string } {
  const { status, body, error } = reply
  if (status === 0) return { problem: `no response from the signer: ${error || 'no connection'}` }
  const response = `the signer returned ${status}`
  if (status < 200 || status > 299) return { problem: `${response}: ${beginning(body)}` }
  const signature = parseSignature(body)
  return signature === undefined
    ? { problem: `${response} without {"signature": "…"}: ${beginning(body)}` }
    : { signature }
}

const SHOWN = 120

function beginning(body: string): string {
  return body.trim() === '' ? '(nothing)' : body.trim().slice(0, SHOWN)
}

function parseSignature(body: string): string | undefined {
  try {
    const { signature } = Object(JSON.parse(body)) as { signature?: unknown } // as: checked below
    return typeof signature === 'string' && signature !== '' ? signature : undefined
  } catch {
    return undefined
  }
}

type Given = { message: string; nonce: string; address: string }

/** A change to the message before signing, which the specification forbids. */
type Rebuilding = { how: string; rebuild(given: Given): string }

/** Common accidental text changes, likeliest first. */
export const REBUILDINGS: readonly Rebuilding[] = [
  { how: 'trimmed', rebuild: ({ message }) => message.trim() },
  { how: 'with LF line ends', rebuild: ({ message }) => message.replace(/\r\n?/g, '\n') },
  { how: 'with LF for CRLF', rebuild: ({ message }) => message.replaceAll('\r\n', '\n') },
  { how: 'normalized (NFC)', rebuild: ({ message }) => message.normalize('NFC') },
  {
    how: 'trimmed and normalized',
    rebuild: ({ message }) => message.replace(/\r\n?/g, '\n').normalize('NFC').trim(),
  },
  { how: 'trimmed at the end of the text', rebuild: ({ message }) => message.trimEnd() },
  { how: 'with CRLF line ends', rebuild: ({ message }) => message.replace(/\r?\n/g, '\r\n') },
  { how: 'normalized (NFD)', rebuild: ({ message }) => message.normalize('NFD') },
  { how: 'normalized (NFKC)', rebuild: ({ message }) => message.normalize('NFKC') },
  { how: 'with white space collapsed', rebuild: ({ message }) => message.replace(/\s+/g, ' ') },
  { how: 'as its nonce alone', rebuild: ({ nonce }) => nonce },
  { how: 'as address and nonce', rebuild: ({ address, nonce }) => `${address}\n${nonce}` },
]

/** Returns the rebuildings whose results differ from the message and from each other. */
export function differentRebuildings(given: Given): Rebuilding[] {
  const seen = new Set([given.message])
  return REBUILDINGS.filter(({ rebuild }) => {
    const rebuilt = rebuild(given)
    return !seen.has(rebuilt) && seen.add(rebuilt)
  })
}
