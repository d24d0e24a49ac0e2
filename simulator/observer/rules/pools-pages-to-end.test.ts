import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { poolsPagesToEnd } from './pools-pages-to-end.ts'

const page = (offset: number, limit = 20) => ({
  ...STRANGER,
  url: `/pools?limit=${limit}&offset=${offset}`,
  route: '/pools',
  isEmptyPage: true,
})

test('accuses who goes on and on behind the end', () => {
  const { ask, pass, found, evidence } = createTestBed(poolsPagesToEnd)
  for (const offset of [40, 60, 80]) {
    ask(page(offset))
    pass(10)
  }
  expect(found()).toEqual(['asked for 3 empty pages of /pools in a row, each further on, up to offset 80'])
  expect(evidence()).toBe(3)
})

test('lets pass who ends at the empty page, walk for walk', () => {
  const { ask, pass, found, cases } = createTestBed(poolsPagesToEnd)
  for (let walk = 0; walk < 5; walk++) {
    ask({ ...page(20), isEmptyPage: false })
    ask(page(40))
    pass(10)
  }
  expect([found(), cases()]).toEqual([[], 5])
})

test('lets pass pages that were under way together', () => {
  const { arrive, pass, found } = createTestBed(poolsPagesToEnd)
  const answers = [40, 60, 80, 100].map((offset) => arrive(page(offset)))
  pass(10)
  for (const answer of answers) answer()
  expect(found()).toEqual([])
})

test('lets pass two walks that meet the end at different places', () => {
  const { ask, pass, found } = createTestBed(poolsPagesToEnd)
  for (const [offset, limit] of [
    [40, 20],
    [50, 50],
    [100, 100],
  ] as const) {
    ask(page(offset, limit))
    pass(10)
  }
  expect(found()).toEqual([])
})
