import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addressFrom, fieldFrom } from '../chain/identifiers.ts'
import { CHOICE_SETS } from './choices.ts'
import { type Codec, shaped, shapedSchema } from './wire.ts'

const field = fc.string().map(fieldFrom)
const KINDS = [
  ['tokenId', field],
  ['poolKey', field],
  ['address', fc.string().map(addressFrom)],
  ['sessionId', fc.uuid()],
] as const

const CASES = Object.values(CHOICE_SETS).flatMap(({ name, wire }) =>
  KINDS.map(([kind, internal]) => ({ name, kind, codec: wire[kind] as Codec, internal })),
)

test.each(CASES)('$name: $kind round-trips, and has one spelling', ({ codec, internal }) => {
  fc.assert(
    fc.property(internal, fc.string(), (id, noise) => {
      const shown = codec.encode(id)
      expect(codec.decode(shown)).toBe(id)
      for (const text of [noise, shown + noise, noise + shown]) {
        const read = codec.decode(text)
        if (read !== undefined) expect(codec.encode(read)).toBe(text)
      }
    }),
  )
})

test.each(Object.values(CHOICE_SETS))(
  '$name: addresses of wallets match the published pattern, and nothing else does',
  ({ wire }) => {
    const form = new RegExp(wire.walletPattern)
    fc.assert(
      fc.property(fc.string().map(addressFrom), (address) => {
        expect(wire.address.encode(address)).toMatch(form)
        expect(wire.address.encode(`${address}q`)).not.toMatch(form)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(form), (text) => {
        expect(wire.address.decode(text)).toMatch(/^bw1.{58}$/)
      }),
    )
  },
)

const ALTERNATIVE = CASES.filter(({ name }) => name === 'alternative')

test.each(ALTERNATIVE)('the alternative $kind differs from the internal one', ({ codec, internal }) => {
  fc.assert(
    fc.property(internal, (id) => {
      expect(codec.encode(id)).not.toBe(id)
      expect(codec.decode(id)).toBeUndefined()
    }),
  )
})

test('times of the alternative set sort as text', () => {
  const { timestamp } = CHOICE_SETS.alternative.wire
  expect(timestamp(Date.UTC(2025, 0, 2, 3, 4, 5, 6))).toBe('2025-01-02 03:04:05.006000+00')
})

test.each([
  [0, 'Thu, 02 Jan 2025 03:04:06 GMT'],
  [994, 'Thu, 02 Jan 2025 03:04:06 GMT'],
  [995, 'Thu, 02 Jan 2025 03:04:07 GMT'],
])('a wait of %d ms is over at the given date', (waitMs, date) => {
  const nowMs = Date.UTC(2025, 0, 2, 3, 4, 5, 6)
  expect(CHOICE_SETS.alternative.wire.retryAfter({ waitMs, nowMs })).toBe(date)
  expect(CHOICE_SETS.default.wire.retryAfter({ waitMs: waitMs + 1, nowMs })).toBe('1')
})

test('a fee of the alternative set is a fraction', () => {
  const { fee } = CHOICE_SETS.alternative.wire
  expect([3000, 1, 1_000_000].map(fee)).toEqual(['0.003000', '0.000001', '1.000000'])
})

const PATHS = { id: 'id', csrf: 'data.session.csrf', until: 'data.until', mode: 'data.session.mode' }
const BODY = { id: 7, data: { until: 'noon', session: { csrf: 'c', mode: null } } }

test('each value is at its path', () => {
  expect(shaped(PATHS, { id: 7, csrf: 'c', until: 'noon', mode: null })).toEqual(BODY)
})

test('a value without a name is at its own path', () => {
  expect(shaped({ id: 'a.id' }, { id: 1, kind: 'x', 'a.b': 2 })).toEqual({ a: { id: 1, b: 2 }, kind: 'x' })
})

test('a row keeps its own shape', () => {
  expect(shaped({ list: 'data.rows' }, { list: [{ a: 1 }] })).toEqual({ data: { rows: [{ a: 1 }] } })
})

test('the schema accepts such a body and no other', () => {
  const schema = shapedSchema(PATHS, { id: z.int(), csrf: z.string(), until: z.string(), mode: z.null() })
  expect(schema.parse(BODY)).toEqual(BODY)
  expect(schema.safeParse({ ...BODY, data: { ...BODY.data, session: {} } }).success).toBe(false)
})

test('no path leads through a value', () => {
  expect(() => shaped({ a: 'data', b: 'data.b' }, { a: [], b: 1 })).toThrow('data is both a value and a node')
})
