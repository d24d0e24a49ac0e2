import { expect, test } from 'vitest'
import { z } from 'zod'
import { validate } from './validate.ts'

const COLORS = ['red', 'green', 'blue', 'cyan', 'black', 'white'] as const
const schema = z.strictObject({
  color: z.enum(COLORS),
  size: z.int().min(1).max(9),
  tags: z.array(z.string().min(2)).min(1),
  limit: z.union([
    z.strictObject({ group: z.string(), errorsMax: z.number() }),
    z.strictObject({ group: z.string(), latencyMax: z.number() }),
  ]),
  shape: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('circle'), radius: z.number() }),
    z.strictObject({ kind: z.literal('square'), side: z.number() }),
  ]),
})
const valid = {
  color: 'red',
  size: 1,
  tags: ['ab'],
  limit: { group: '*', errorsMax: 1 },
  shape: { kind: 'circle', radius: 1 },
}

test.each([
  ['soon', 'expected a time, such as 2027-01-31T12:00:00Z'],
  ['', 'expected a time, such as 2027-01-31T12:00:00Z'],
  [5, 'expected a string, found a number'],
])('the time %j: %s', (at, problem) => {
  expect(validate(z.object({ at: z.iso.datetime() }), { at }).problems).toEqual([`at: ${problem}`])
})

test('names the beginning of a text', () => {
  const path = z.string().startsWith('/')
  expect(validate(z.object({ path }), { path: 'pools' }).problems).toEqual([
    'path: expected a text that begins with /',
  ])
})

test('returns valid data', () => {
  expect(validate(schema, valid)).toEqual({ data: valid, problems: null })
})

test.each([
  [{ color: 'greens' }, 'color: unknown name "greens"; did you mean green, red or blue?'],
  [{ color: 5 }, 'color: expected a name, such as red, green or blue'],
  [{ color: undefined }, 'color: missing; expected a name, such as red, green or blue'],
  [{ size: 1.5 }, 'size: expected a whole number, found a number'],
  [{ size: 0 }, 'size: expected at least 1'],
  [{ size: 10 }, 'size: expected at most 9'],
  [{ size: null }, 'size: expected a number, found null'],
  [{ tags: [] }, 'tags: expected at least 1 item'],
  [{ tags: ['a'] }, 'tags[0]: expected at least 2 characters'],
  [{ tags: {} }, 'tags: expected a list, found an object'],
  [{ sizes: 1 }, 'sizes: unknown key; expected color, size, tags, limit or shape'],
  [{ limit: { group: '*', latencyMax: 'x' } }, 'limit.latencyMax: expected a number, found a string'],
  [{ limit: 'x' }, 'limit: expected an object'],
  [{ limit: undefined }, 'limit: missing; expected an object'],
  [{ shape: { kind: 'circles' } }, 'shape.kind: unknown name "circles"; expected circle or square'],
  [{ shape: {} }, 'shape.kind: missing; expected circle or square'],
])('%j: %s', (change, problem) => {
  expect(validate(schema, { ...valid, ...change })).toEqual({ data: null, problems: [problem] })
})

test('reports every unknown key with its own suggestion', () => {
  expect(validate(z.strictObject({ a: z.string() }), { a: 'x', b: 1, c: 2 }).problems).toEqual([
    'b: unknown key; expected a',
    'c: unknown key; expected a',
  ])
  expect(validate(z.strictObject({}), { b: 1 }).problems).toEqual(['b: unknown key; expected no keys'])
  expect(validate(z.strictObject({}), []).problems).toEqual(['(top level): expected an object, found a list'])
})
