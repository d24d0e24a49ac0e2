import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldFrom } from '../chain/identifiers.ts'
import { alternativeChoices } from './alternative-choices.ts'
import { decodeChangeKey, encodeChangeKey } from './change-key.ts'
import { CHOICE_SETS } from './choices.ts'

const field = fc.string().map(fieldFrom)
const pair = fc.tuple(field, field).map((tokens) => tokens.join('/'))
const change = fc.oneof(
  fc.record({ scope: fc.constant('pause'), key: fc.oneof(field, pair, fc.constant('global')) }),
  fc.record({ scope: fc.constant('allowlist'), key: fc.oneof(field, pair, fc.constant('enabled')) }),
  fc.record({ scope: fc.constant('protocol_fee'), key: field.map((pool) => `${pool}/4/0`) }),
  fc.record({
    scope: fc.constantFrom('fee_tiers', 'pool_creation'),
    key: fc.constantFrom('3000/60', 'none'),
  }),
)

test.each(Object.values(CHOICE_SETS))('$name: the key of a change round-trips', ({ wire }) => {
  fc.assert(
    fc.property(change, ({ scope, key }) => {
      expect(decodeChangeKey({ scope, key: encodeChangeKey({ scope, key }, wire) }, wire)).toBe(key)
    }),
  )
})

test.each([
  ['pause', '123field', '12/%2F+ №:e\u0301&?#=3;'],
  ['pause', '123field/456field', '0123e0/0456e0'],
  ['pause', 'global', 'global'],
  ['allowlist', '123field', '0123e0'],
  ['allowlist', 'enabled', 'enabled'],
  ['protocol_fee', '123field/4/0', '12/%2F+ №:e\u0301&?#=3;/4/0'],
  ['fee_tiers', '3000/60', '3000/60'],
])('alternative: %s of %s is %s', (scope, key, shown) => {
  expect(encodeChangeKey({ scope, key }, alternativeChoices.wire)).toBe(shown)
  expect(decodeChangeKey({ scope, key: shown }, alternativeChoices.wire)).toBe(key)
})
