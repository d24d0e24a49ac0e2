import { expect, test } from 'vitest'
import { z } from 'zod'
import { shaped, shapedSchema } from './shaped.ts'

const PATHS = { id: 'id', csrf: 'data.session.csrf', until: 'data.until', mode: 'data.session.mode' }
const BODY = { id: 7, data: { until: 'noon', session: { csrf: 'c', mode: null } } }

test('each value stands at its path', () => {
  expect(shaped(PATHS, { id: 7, csrf: 'c', until: 'noon', mode: null })).toEqual(BODY)
})

test('a value that no path has a name for stands at the path that it is called by', () => {
  expect(shaped({ id: 'a.id' }, { id: 1, kind: 'x', 'a.b': 2 })).toEqual({ a: { id: 1, b: 2 }, kind: 'x' })
})

test('a row keeps its own shape', () => {
  expect(shaped({ list: 'data.rows' }, { list: [{ a: 1 }] })).toEqual({ data: { rows: [{ a: 1 }] } })
})

test('the schema takes such a body and no other', () => {
  const schema = shapedSchema(PATHS, { id: z.int(), csrf: z.string(), until: z.string(), mode: z.null() })
  expect(schema.parse(BODY)).toEqual(BODY)
  expect(schema.safeParse({ ...BODY, data: { ...BODY.data, session: {} } }).success).toBe(false)
})

test('no path leads through a value', () => {
  expect(() => shaped({ a: 'data', b: 'data.b' }, { a: [], b: 1 })).toThrow('data is both a value and a node')
})
