import { expect, test } from 'vitest'
import { CHOICE_ROWS } from './choice-rows.ts'
import { CHOICE_SETS } from './choices.ts'

const PATHS = Object.values(CHOICE_ROWS).flatMap((rows) => rows.map(({ path }) => path))

/** Paths of everything that is no object, lists counting as one; also of objects that hold nothing. */
function leavesOf(value: unknown, path: string): string[] {
  const isNode = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isNode || Object.keys(value).length === 0) return [path]
  return Object.entries(value).flatMap(([name, below]) =>
    leavesOf(below, path === '' ? name : `${path}.${name}`),
  )
}

const LEAVES = Object.values(CHOICE_SETS).flatMap((choices) =>
  leavesOf(choices, '').filter((path) => path !== 'name'),
)

test.each([...new Set(LEAVES)])('docs/choices.md has one row for %s', (leaf) => {
  expect(PATHS.filter((path) => leaf === path || leaf.startsWith(`${path}.`))).toHaveLength(1)
})

test.each(PATHS)('the row %s has a choice to tell of', (path) => {
  expect(LEAVES.some((leaf) => leaf === path || leaf.startsWith(`${path}.`))).toBe(true)
})
