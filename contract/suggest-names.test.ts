import { expect, test } from 'vitest'
import { editDistance, nearestNames, suggestNames } from './suggest-names.ts'
import { unknownName } from './unknown-name.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['storm', 'strom', 2],
])('the edit distance of %j and %j is %i', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits)
  expect(editDistance(b, a)).toBe(edits)
})

const NAMES = ['http-429', 'http-hang', 'http-reset', 'reorg', 'GET /swaps', 'GET /pools', 'GET /pools/:key']

test.each([
  { text: 'http-reest', nearest: ['http-reset', 'http-429', 'http-hang'] },
  { text: 'GET /pool', nearest: ['GET /pools', 'GET /pools/:key', 'GET /swaps'] },
  { text: 'get /POOLS', nearest: ['GET /pools', 'GET /pools/:key', 'GET /swaps'] },
  { text: 'pools', nearest: ['GET /pools', 'GET /pools/:key', 'reorg'] },
  { text: 'GET /pols/*', nearest: ['GET /pools', 'GET /pools/:key', 'GET /swaps'] },
])('$text: $nearest', ({ text, nearest }) => {
  expect(nearestNames(text, NAMES)).toEqual(nearest)
})

test('lists at most five names, and suggests the nearest three of more', () => {
  expect(suggestNames('x', ['a'])).toBe('expected a')
  expect(suggestNames('x', ['a', 'b'])).toBe('expected a or b')
  expect(suggestNames('x', ['a', 'b', 'c', 'd', 'e'])).toBe('expected a, b, c, d or e')
  expect(suggestNames('x', ['a', 'b', 'c', 'd', 'e', 'y'])).toBe('did you mean a, b or c?')
  expect(suggestNames(5, ['a', 'b', 'c', 'd', 'e', 'y'])).toBe('expected a name, such as a, b or c')
})

test('the hint says where all names are', () => {
  const listed = '`breakwater smoke --list-mutants` lists all mutants.'
  expect(unknownName('unknown mutant "x"', { name: 'http-reest', names: NAMES, listed })).toMatchObject({
    message: 'unknown mutant "x"',
    hint: `Did you mean http-reset, http-429 or http-hang? ${listed}`,
    exitCode: 2,
  })
  expect(unknownName('unknown format "htm"', { name: 'htm', names: ['html', 'md'] }).hint).toBe(
    'Expected html or md.',
  )
})
