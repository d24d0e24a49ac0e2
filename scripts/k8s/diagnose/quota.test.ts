import { expect, test } from 'vitest'
import { isQuotaTooSmall } from './quota.ts'

test.each([
  ['pods=1', 'pods=4', 4, false],
  ['pods=1', 'pods=4', 5, true],
  ['limits.cpu=500m,limits.memory=1Gi', 'limits.cpu=2,limits.memory=4Gi', 4, false],
  ['limits.cpu=500m,limits.memory=1Gi', 'limits.cpu=2,limits.memory=4Gi', 5, true],
  ['limits.cpu=1', 'limits.cpu=1500m', 2, true],
  ['limits.memory=2G', 'limits.memory=2Gi', 1, false],
  ['limits.memory=2Gi', 'limits.memory=2G', 1, true],
  ['limits.memory=1025Ki', 'limits.memory=1Mi', 1, true],
  ['limits.memory=1e9', 'limits.memory=1G', 1, false],
  ['limits.cpu=1001u', 'limits.cpu=1m', 1, true],
  ['limits.cpu=2', 'limits.cpu=odd', 1, false],
])('%s of %s for %d pods', (requested, limited, pods, expected) => {
  const used = requested.replace(/=[^,]*/g, '=0')
  const message = `exceeded quota: q, requested: ${requested}, used: ${used}, limited: ${limited}`
  expect(isQuotaTooSmall(message, pods)).toBe(expected)
})

test('other messages name no quota', () => expect(isQuotaTooSmall('images must be signed', 9)).toBe(false))
