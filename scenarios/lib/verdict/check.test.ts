import { expect, test } from 'vitest'
import { check } from './check.ts'

const PAGE = { total: 1, limit: 1, offset: 0 }

test.each([
  { what: 'what fits', body: PAGE, problems: [] },
  { what: 'additional fields', body: { ...PAGE, next: null }, problems: [] },
  { what: 'integers of 64 bits', body: { ...PAGE, total: 2 ** 62 }, problems: [] },
  { what: 'a fraction', body: { ...PAGE, total: 1.5 }, problems: ['/total must be integer'] },
  { what: 'digits', body: { ...PAGE, limit: '1' }, problems: ['/limit must be integer'] },
  { what: 'nothing', body: undefined, problems: ['(top level) must be object'] },
])('describes the problems of $what', ({ body, problems }) => {
  expect(check('pagination', body)).toEqual(problems)
})
