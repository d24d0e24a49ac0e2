/** The secrets in a profile's headers and addresses, in each form in which a target or an error may show them. */
import type { Profile } from './profile.ts'

type Holder = Pick<Profile, 'headers' | 'baseUrl' | 'wsUrl' | 'control' | 'metrics'> & {
  credentials: Pick<Profile['credentials'], 'signer'>
}

/** Shorter texts occur in lines by chance. */
const SECRET_LENGTH_MIN = 8

/** Values of these headers are not secret, and occur in any response. */
const PUBLIC_HEADER = /^(accept|accept-.*|cache-control|content-type|origin|pragma|referer|te|user-agent)$/i

/** Avoids URL and Buffer, which k6 lacks. */
export function profileSecrets(profile: Holder): string[] {
  const { headers, baseUrl, wsUrl, control, metrics, credentials } = profile
  const ofHeaders = Object.entries(headers).flatMap(([name, value]) =>
    PUBLIC_HEADER.test(name) ? [] : headerSecrets(value),
  )
  const ofQueries = [baseUrl, wsUrl, control, metrics, credentials.signer].flatMap((address) =>
    address === null ? [] : querySecrets(address),
  )
  return [...new Set([...ofHeaders, ...ofQueries].flatMap(secretForms))]
}

/** Returns a secret verbatim, and as encoded in URLs, JSON and base64. */
export function secretForms(secret: string): string[] {
  if (secret.length < SECRET_LENGTH_MIN) return []
  const encoded = encoded64(secret)
  const forms = [
    secret,
    inAddress(secret),
    inAddress(secret).replace(/%20/g, '+'),
    JSON.stringify(secret).slice(1, -1),
    ...encoded.flatMap((text) => [text, text.replace(/\+/g, '-').replace(/\//g, '_')]),
  ]
  return [...new Set(forms)].filter((form) => form.length >= SECRET_LENGTH_MIN)
}

/** Redacts each secret of the profile in a text. */
export function withoutProfileSecrets(text: string, profile: Holder): string {
  const longestFirst = profileSecrets(profile).sort((a, b) => b.length - a.length)
  return longestFirst.reduce((left, secret) => left.split(secret).join('<redacted>'), text)
}

/** Returns the whole value, the part after a scheme such as Bearer, the password of Basic, and the values of cookies. */
function headerSecrets(value: string): string[] {
  const [scheme = '', ...rest] = value.trim().split(' ')
  const token = rest.join(' ').trim()
  const basic = /^basic$/i.test(scheme) ? decoded64(token) : ''
  const cookies = value.split(';').flatMap((pair) => (pair.includes('=') ? [after(pair, '=').trim()] : []))
  return [value.trim(), token, basic, after(basic, ':'), ...cookies, ...cookies.map(fromAddress)]
}

function querySecrets(address: string): string[] {
  const query = after(address.split('#')[0] ?? '', '?')
  const values = query.split('&').map((pair) => (pair.includes('=') ? after(pair, '=') : pair))
  return [...values, ...values.map(fromAddress)]
}

function after(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at === -1 ? '' : text.slice(at + 1)
}

/** Half a surrogate pair cannot be encoded in an address. */
function inAddress(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text
  }
}

function fromAddress(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '))
  } catch {
    return text
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Returns the base64 of a text by itself, and at the start of a longer text. */
function encoded64(text: string): string[] {
  const bytes: number[] = []
  for (const [, hex, char = ''] of inAddress(text).matchAll(/%([0-9A-F]{2})|([\s\S])/g))
    bytes.push(hex === undefined ? char.charCodeAt(0) : Number.parseInt(hex, 16))
  let bits = ''
  for (const byte of bytes) bits += (byte & 255).toString(2).padStart(8, '0')
  const sextets = bits.match(/.{1,6}/g) ?? []
  const encoded = sextets.map((sextet) => ALPHABET[Number.parseInt(sextet.padEnd(6, '0'), 2)]).join('')
  return [encoded, encoded.slice(0, 4 * Math.floor(bytes.length / 3))]
}

/** Decodes Latin-1, the usual encoding of names and passwords in Basic; other text stays encoded. */
function decoded64(encoded: string): string {
  let bits = ''
  for (const char of encoded.replaceAll('=', '')) {
    const at = ALPHABET.indexOf(char === '-' ? '+' : char === '_' ? '/' : char)
    if (at === -1) return ''
    bits += at.toString(2).padStart(6, '0')
  }
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('')
}
