import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { canonicalText, type Encoder } from './canonical-text.ts'
import { CONFIG_SCOPES, type ConfigChange } from './transaction.ts'

/** Short, so that duplicates are frequent, and made of the encoder's own delimiters. */
export const anyText = fc.string({ unit: fc.constantFrom('1', ':', ',', ';', '~', 'é'), maxLength: 3 })
export const anyInteger = fc.integer({ min: -3, max: 300 })
export const anyAmount = fc.oneof(fc.bigInt({ min: -2n, max: 20n }), fc.bigInt())
export const anyFlag = fc.boolean()

export const anyToken = fc.record({
  id: anyText,
  address: anyText,
  symbol: anyText,
  name: anyText,
  decimals: anyInteger,
  ammTokenProgram: anyText,
  underlyingProgram: fc.option(anyText),
  underlyingTokenId: fc.option(anyText),
  image: fc.option(anyText),
})

export const anyConfigChange: fc.Arbitrary<ConfigChange> = fc.record({
  scope: fc.constantFrom(...CONFIG_SCOPES),
  key: anyText,
})

export function textOf<Value>(encode: Encoder<Value>, value: Value): string {
  return canonicalText(encode, value).toString()
}

/** Arbitraries for each kind's other fields. */
export type AnyByKind<Value extends { kind: string }> = {
  readonly [Kind in Value['kind']]: fc.Arbitrary<Omit<Extract<Value, { kind: Kind }>, 'kind'>>
}

/** Expects texts to differ exactly if values do: for random pairs, and pairs that differ in at most one place. */
export function expectDistinguishes<Value>(encode: Encoder<Value>, values: fc.Arbitrary<Value>): void {
  // Clones, which are plain: fast-check gives some records no prototype.
  const expectPair = (a: Value, b: Value): void =>
    expect(textOf(encode, a) === textOf(encode, b), textOf(encode, a)).toBe(
      isDeepStrictEqual(structuredClone(a), structuredClone(b)),
    )
  fc.assert(
    fc.property(values, values, (value, other) => {
      expectPair(value, other)
      for (const changed of changedInOnePlace(value, other)) expectPair(value, changed as Value) // as: of the same shape
    }),
    { seed: 1, numRuns: 50 },
  )
}

/** Copies of the value, each with the contents of `other` in one place, at any depth; lists of two lengths are one place. */
function changedInOnePlace(value: unknown, other: unknown): readonly unknown[] {
  if (!isObject(value) || !isObject(other) || value.length !== other.length) return [other]
  const copyShallow = (source: object) => (Array.isArray(source) ? [...source] : { ...source })
  return Object.keys(other).flatMap((name) =>
    changedInOnePlace(value[name], other[name]).map((changed) =>
      Object.assign(copyShallow(value), { [name]: changed }),
    ),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Expects the same of each kind; a kind missing from the table does not compile. */
export function expectDistinguishesKinds<Value extends { kind: string }>(
  encode: Encoder<Value>,
  table: AnyByKind<Value>,
): void {
  const kinds = Object.entries<fc.Arbitrary<object>>(table)
  for (const [kind, fields] of kinds)
    expectDistinguishes(
      encode,
      fields.map((value) => ({ ...value, kind }) as Value), // as: the table's own type
    )
}
