import type { ConfigChange, FaucetGrant, TokenDraft, Transaction } from './transaction.ts'

/**
 * Writes the canonical text of a value, as hash input: one text per value of a type, and distinct for distinct values. Each piece
 * is self-delimiting (a text by its length, an integer by a comma, a list by its count), so pieces concatenate without names or
 * quotes.
 */
export type Encoder<Value> = (value: Value, output: Output) => void

/** UTF-8 written so far. Joined as strings, pieces would take 1.4 times as long. */
export type Output = { bytes: Buffer; length: number }

/** One for all: hashing is synchronous. */
const shared: Output = { bytes: Buffer.allocUnsafe(2 ** 16), length: 0 }

/** Returns a view of the text, valid until the next call. */
export function canonicalText<Value>(encode: Encoder<Value>, value: Value): Buffer {
  shared.length = 0
  encode(value, shared)
  return shared.bytes.subarray(0, shared.length)
}

export const text: Encoder<string> = (value, output) => {
  count(value.length, ':', output)
  reserve(output, value.length * UTF8_MAX)
  output.length += output.bytes.write(value, output.length)
}

/** Base 16: takes half the time of decimal for a long bigint. */
export const integer: Encoder<number | bigint> = (value, output) => ascii(value.toString(16), ',', output)

export const flag: Encoder<boolean> = (value, output) => ascii('', value ? 't' : 'f', output)

/** Bytes per UTF-16 unit. */
const UTF8_MAX = 3

/** The decimal digits of small numbers. */
const COUNTS = Array.from({ length: 100 }, (_, value) => `${value}`)

function count(value: number, end: string, output: Output): void {
  ascii(COUNTS[value] ?? `${value}`, end, output)
}

/** For a few characters, of which `end` is one: a native call would take longer. */
function ascii(value: string, end: string, output: Output): void {
  reserve(output, value.length + 1)
  const { bytes } = output
  let { length } = output
  for (let place = 0; place < value.length; place++) bytes[length++] = value.charCodeAt(place)
  bytes[length++] = end.charCodeAt(0)
  output.length = length
}

function reserve(output: Output, bytesMore: number): void {
  const { bytes, length } = output
  if (length + bytesMore <= bytes.length) return
  output.bytes = Buffer.allocUnsafe(2 * (length + bytesMore))
  output.bytes.set(bytes)
}

/** Unambiguous: no other text starts with a tilde. */
export function optional<Value>(encode: Encoder<Value>): Encoder<Value | null | undefined> {
  return (value, output) =>
    value === null || value === undefined ? ascii('', '~', output) : encode(value, output)
}

export function list<Item>(encode: Encoder<Item>): Encoder<readonly Item[]> {
  return (items, output) => {
    count(items.length, ';', output)
    for (const item of items) encode(item, output)
  }
}

/** One encoder per field, in output order; the compiler requires all of them. */
export type Fields<Value> = { readonly [Name in keyof Value]-?: Encoder<Value[Name]> }

export function record<Value extends object>(fields: Fields<Value>): Encoder<Value> {
  const names = Object.keys(fields) as (keyof Value)[]
  const encoders = Object.values(fields) as Encoder<unknown>[] // as: each of its own field's type
  return (value, output) => {
    for (let place = 0; place < names.length; place++)
      (encoders[place] as Encoder<unknown>)(value[names[place] as keyof Value], output) // as: as many as names
  }
}

/** Encoders of each kind's other fields. */
export type FieldsByKind<Value extends { kind: string }> = {
  readonly [Kind in Value['kind']]: Fields<Omit<Extract<Value, { kind: Kind }>, 'kind'>>
}

/** Encodes a record by its `kind`. The encoder throws TypeError for an unknown kind. */
export function byKind<Value extends { kind: string }>(table: FieldsByKind<Value>): Encoder<Value> {
  const encoders = new Map<string, Encoder<Value>>(
    Object.entries(table).map(([kind, fields]) => [kind, record(fields as Fields<Value>)]), // as: by its kind
  )
  return (value, output) => {
    const encode = encoders.get(value.kind)
    if (!encode) throw new TypeError(`no canonical text for the kind ${value.kind}`)
    ascii(value.kind, ';', output)
    encode(value, output)
  }
}

export const tokenText = record<TokenDraft>({
  id: text,
  address: text,
  symbol: text,
  name: text,
  decimals: integer,
  ammTokenProgram: text,
  underlyingProgram: optional(text),
  underlyingTokenId: optional(text),
  image: optional(text),
})

export const configChangeText = record<ConfigChange>({ scope: text, key: text })

const faucetGrantText = record<FaucetGrant>({ tokenId: text, amount: integer })

/** Output order of each kind's fields. */
export const TRANSACTION_FIELDS: FieldsByKind<Transaction> = {
  registerToken: { sender: text, token: tokenText },
  mintToken: { sender: text, tokenId: text, shares: list(record({ recipient: text, amount: integer })) },
  createPool: { sender: text, tokenA: text, tokenB: text, feePips: integer, sqrtPriceX96: integer },
  mintPosition: {
    sender: text,
    pool: text,
    tickLower: integer,
    tickUpper: integer,
    liquidity: integer,
    isPrivate: flag,
  },
  increasePosition: { sender: text, position: text, liquidity: integer },
  burnPosition: { sender: text, position: text, liquidity: integer },
  collectPosition: { sender: text, position: text, amount0Max: integer, amount1Max: integer },
  freezePosition: { sender: text, position: text },
  unfreezePosition: { sender: text, position: text },
  swap: {
    sender: text,
    recipient: text,
    tokenIn: text,
    pools: list(text),
    amountIn: integer,
    amountOutMin: integer,
    isPrivate: flag,
  },
  claim: { sender: text, swapId: text, amount: optional(integer) },
  changeConfig: { sender: text, change: configChangeText },
  collectProtocol: { sender: text, pool: text, recipient: text, amount0Max: integer, amount1Max: integer },
  setFaucet: { sender: text, grants: list(faucetGrantText) },
  claimFaucet: { sender: text, recipient: text },
}

export const transactionText: Encoder<Transaction> = byKind(TRANSACTION_FIELDS)
