import { expect, test } from 'vitest'
import { LIMIT_RULES, type LimitId } from './limit-rules.ts'
import { LIMITS } from './limits.ts'
import { RULES } from './rules.ts'

const tested = Object.values(LIMIT_RULES).flatMap(({ rules }) => rules)

test('each figure of the limits has a row, in their order, and 429 the last', () => {
  expect(Object.keys(LIMIT_RULES)).toEqual([...Object.keys(LIMITS), 'rateLimit'])
})

test('the rules that are named are those of the section Limits, and those of 429, each once', () => {
  const expected = RULES.filter(({ section, group }) => section === 'Limits' || group === 'rate-limit')
  expect([...tested].sort()).toEqual(expected.map(({ id }) => id).sort())
})

test.each(Object.entries(LIMITS))('what is promised of %s bears its figure, %i', (id, figure) => {
  const numbers = LIMIT_RULES[id as LimitId].specified.match(/\d+/g)?.map(Number) // as: a key of both
  expect(numbers?.some((number) => number === figure || number * 60 === figure)).toBe(true)
})
