import { expect, test } from 'vitest'
import { z } from 'zod'
import { listRows } from './choice-row.ts'
import { CHOICE_SETS, choiceSetSchema } from './choices.ts'

test('every choice has one row', () => {
  const paths = listRows(choiceSetSchema.omit({ name: true })).map(({ path }) => path)
  expect(paths).toHaveLength(new Set(paths).size)
  expect(paths).toEqual(expect.arrayContaining(['wire.fee', 'feed.closes.tooManyFrames', 'profile.verify']))
})

test('a choice without a row is an error', () => {
  expect(() => listRows(z.object({ paging: z.object({ limit: z.int() }) }))).toThrow(
    'paging.limit is a choice',
  )
})

test.each(Object.values(CHOICE_SETS))('the set $name decides every choice, and no others', (choices) => {
  expect(choiceSetSchema.parse(choices)).toEqual(choices)
})
