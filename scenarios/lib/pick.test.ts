import { expect, test } from 'vitest'
import { pick, pickRevision, pickRows, pickText } from './pick.ts'

const body = {
  data: { list: [{ id: 1 }, 'not a row', null], revision: '12', count: 12, deep: { er: false } },
}

test.each([
  ['data.deep.er', false],
  ['data.missing.er', undefined],
  ['data.count.er', undefined],
  [null, undefined],
])('picks %s', (path, value) => {
  expect(pick(body, path)).toBe(value)
})

test.each([undefined, null, 'text', 5, []])('picks nothing out of %j', (odd) => {
  expect(pick(odd, 'data.list')).toBeUndefined()
})

test('picks rows, and omits other values', () => {
  expect(pickRows(body, 'data.list')).toEqual([{ id: 1 }])
  expect(pickRows(body, 'data.count')).toBeUndefined()
})

test('picks text as it is, and integers as digits', () => {
  expect(pickText(body, 'data.revision')).toBe('12')
  expect(pickText(body, 'data.count')).toBe('12')
  expect(pickText({ a: 1.5 }, 'a')).toBeUndefined()
  expect(pickText({ a: 2 ** 60 }, 'a')).toBeUndefined()
})

test.each([
  ['12', 12n],
  [12, 12n],
  ['9007199254740993', 9007199254740993n],
  ['1e3', undefined],
  [-1, undefined],
  ['', undefined],
])('reads the revision %j as %s', (revision, expected) => {
  expect(pickRevision({ revision }, 'revision')).toBe(expected)
})
