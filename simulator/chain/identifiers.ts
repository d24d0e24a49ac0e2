import { hash } from 'node:crypto'

/** At least sixty digits: too large for any native number. */
const FIELD_MIN = 10n ** 59n

/** Derives a field element from any text: 60 to 76 decimal digits and the suffix `field`. */
export function fieldFrom(text: string): string {
  const value = BigInt(`0x${sha256Hex(text)}`) >> 4n
  return `${value < FIELD_MIN ? value + FIELD_MIN : value}field`
}

export function addressFrom(text: string): string {
  return bech32m('bw', sha256(text))
}

export function transactionIdFrom(text: Uint8Array): string {
  return bech32m('at', sha256(text))
}

export function sha256Hex(text: string | Uint8Array): string {
  return hash('sha256', text)
}

// Converts from a string: digesting to a buffer takes 50% longer.
function sha256(text: string | Uint8Array): Uint8Array {
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1')
}

/** Compares fields as numbers: the lower one is a pool's token0. */
export function compareFields(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}

const CHARACTERS = Buffer.from('qpzry9x8gf2tvdw0s3jn54khce6mua7l')
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const BECH32M = 0x2bc830a3
const CHECKSUM_LENGTH = 6

/** Checksum term for each value of its top five bits: XOR of the generators for the bits that are set. */
const REMAINDERS = Int32Array.from({ length: 32 }, (_, top) =>
  GENERATORS.reduce((sum, generator, bit) => ((top >> bit) & 1 ? sum ^ generator : sum), 0),
)

/** Bech32m (BIP-350): `prefix`, `1`, the bytes in groups of five bits, six characters of checksum. */
export function bech32m(prefix: string, bytes: Uint8Array): string {
  const groups = toFiveBits(bytes)
  const checksum = computeChecksum(prefix, groups)
  // Uses a buffer: a concatenated string keeps its parts, and every reader would traverse them.
  const text = Buffer.allocUnsafe(prefix.length + 1 + groups.length + CHECKSUM_LENGTH)
  let length = text.write(`${prefix}1`, 'latin1')
  for (let place = 0; place < groups.length; place++) text[length++] = toCharacter(groups[place] as number)
  for (let shift = 25; shift >= 0; shift -= 5) text[length++] = toCharacter((checksum >> shift) & 31)
  return text.toString('latin1')
}

function toFiveBits(bytes: Uint8Array): Uint8Array {
  const groups = new Uint8Array(Math.ceil((bytes.length * 8) / 5))
  let length = 0
  let held = 0
  let heldBits = 0
  for (let place = 0; place < bytes.length; place++) {
    held = ((held << 8) | (bytes[place] as number)) & 0xfff // as: within bounds
    for (heldBits += 8; heldBits >= 5; heldBits -= 5) groups[length++] = (held >> (heldBits - 5)) & 31
  }
  if (heldBits > 0) groups[length] = (held << (5 - heldBits)) & 31
  return groups
}

function toCharacter(group: number): number {
  return CHARACTERS[group] as number // as: five bits
}

/** Checksum of BIP-173: a BCH code over the field of 32 elements. */
function computeChecksum(prefix: string, groups: Uint8Array): number {
  let checksum = 1
  for (let place = 0; place < prefix.length; place++) checksum = next(checksum, prefix.charCodeAt(place) >> 5)
  checksum = next(checksum, 0)
  for (let place = 0; place < prefix.length; place++) checksum = next(checksum, prefix.charCodeAt(place) & 31)
  for (let place = 0; place < groups.length; place++) checksum = next(checksum, groups[place] as number)
  for (let place = 0; place < CHECKSUM_LENGTH; place++) checksum = next(checksum, 0)
  return checksum ^ BECH32M
}

function next(checksum: number, group: number): number {
  return ((checksum & 0x1ffffff) << 5) ^ group ^ (REMAINDERS[checksum >> 25] as number) // as: 30 bits, 5 of them left
}
