const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const BECH32M = 0x2bc830a3

/** Bech32m (BIP-350): `prefix`, `1`, the bytes in groups of five bits, six characters of checksum. */
export function bech32m(prefix: string, bytes: Uint8Array): string {
  const groups = toFiveBits(bytes)
  const head = [...prefix].map((character) => character.charCodeAt(0))
  const expanded = [...head.map((code) => code >> 5), 0, ...head.map((code) => code & 31)]
  const remainder = polymod(expanded.concat(groups, 0, 0, 0, 0, 0, 0)) ^ BECH32M
  let text = `${prefix}1`
  for (const group of groups) text += ALPHABET.charAt(group)
  for (const shift of [25, 20, 15, 10, 5, 0]) text += ALPHABET.charAt((remainder >> shift) & 31)
  return text
}

function toFiveBits(bytes: Uint8Array): number[] {
  const groups: number[] = []
  let held = 0
  let heldBits = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    heldBits += 8
    while (heldBits >= 5) {
      heldBits -= 5
      groups.push((held >> heldBits) & 31)
    }
  }
  if (heldBits > 0) groups.push((held << (5 - heldBits)) & 31)
  return groups
}

/** The checksum of BIP-173: a BCH code over the field of 32 elements. */
function polymod(groups: readonly number[]): number {
  let checksum = 1
  for (const group of groups) {
    const top = checksum >> 25
    checksum = ((checksum & 0x1ffffff) << 5) ^ group
    // By index: each transaction has an id, and an iterator's pairs cost more than the code itself.
    for (let bit = 0; bit < GENERATORS.length; bit++) if ((top >> bit) & 1) checksum ^= GENERATORS[bit] ?? 0
  }
  return checksum
}
