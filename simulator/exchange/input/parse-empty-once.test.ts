import { expect, test } from 'vitest'
import { parseEmptyOnce } from './parse-empty-once.ts'

function compiled(httpPart: string) {
  const parsed: unknown[] = []
  const compile = parseEmptyOnce(() => (value: unknown) => {
    parsed.push(value)
    return { value }
  })
  return { parsed, validate: compile({ schema: {}, method: 'GET', url: '/', httpPart }) }
}

test('an empty query is parsed once, any other each time', () => {
  const { parsed, validate } = compiled('querystring')
  expect(validate({})).toBe(validate({}))
  validate({ limit: '1' })
  validate({ limit: '1' })
  expect(parsed).toEqual([{}, { limit: '1' }, { limit: '1' }])
})

test('an empty body is parsed each time', () => {
  const { parsed, validate } = compiled('body')
  validate({})
  validate({})
  expect(parsed).toHaveLength(2)
})
