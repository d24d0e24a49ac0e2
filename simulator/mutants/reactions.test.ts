import { expect, test } from 'vitest'
import { setAt } from './reactions.ts'

test('sets or deletes the value at a path', () => {
  const body = { data: { quote: { amount: '5', revision: 7 } } }
  setAt(body, 'data.quote.amount', 5)
  setAt(body, 'data.quote.revision', undefined)
  setAt(body, 'nothing.here', 1)
  expect(JSON.stringify(body)).toBe('{"data":{"quote":{"amount":5}}}')
})
