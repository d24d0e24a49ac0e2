import { hash } from 'node:crypto'
import { bech32m } from './bech32.ts'

/** Sixty digits at the least: no native number holds a field. */
const FIELD_MIN = 10n ** 59n

/** A field element from any text: 60 to 76 decimal digits and the suffix `field`. */
export function fieldFrom(text: string): string {
  const value = BigInt(`0x${sha256Hex(text)}`) >> 4n
  return `${value < FIELD_MIN ? value + FIELD_MIN : value}field`
}

/** A wallet's address: `bw1` and 58 characters. */
export function addressFrom(text: string): string {
  return bech32m('bw', sha256(text))
}

/** A transaction's id: `at1` and 58 characters. */
export function transactionIdFrom(text: string): string {
  return bech32m('at', sha256(text))
}

/** SHA-256 of the text in UTF-8, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text)
}

// By way of a string: a digest asked for as a buffer takes half as long again.
function sha256(text: string): Uint8Array {
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1')
}

/** The order of fields as numbers: the lower one is a pool's token0. */
export function compareFields(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}
