import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJournal } from '../../journal.ts'
import { appendItem, emptyLog, type HistoryLog } from './history-log.ts'
import { type NewestFirst, newestFirst, newestOfBoth } from './newest-of-both.ts'

const journal = createJournal({ depthMax: 0 })

function logOf(numbers: readonly number[]): HistoryLog<number> {
  const log = emptyLog<number>()
  for (const number of numbers) appendItem(journal, log, number, Number.POSITIVE_INFINITY)
  return log
}

test('pages of any two lists are those of both sorted together, from any oldest number on', () => {
  const drafts = fc.record({
    /** For each number the list that it is in, if any. */
    lists: fc.array(fc.constantFrom('one', 'other', 'neither'), { maxLength: 400 }),
    oldest: fc.nat(400),
    limit: fc.integer({ min: 1, max: 30 }),
  })
  fc.assert(
    fc.property(drafts, ({ lists, oldest, limit }) => {
      const numbersIn = (name: string) => lists.flatMap((list, number) => (list === name ? [number] : []))
      const [one, other] = ['one', 'other'].map((name) => newestFirst(logOf(numbersIn(name)), oldest))
      if (!one || !other) throw new Error('two lists were made')
      const expected = lists
        .flatMap((list, number) => (list !== 'neither' && number >= oldest ? [number] : []))
        .reverse()
      expect(one.length + other.length).toBe(expected.length)
      for (let offset = 0; offset <= expected.length + 1; offset++) {
        const page = expected.slice(offset, offset + limit)
        expect(newestOfBoth(one, other, { limit, offset })).toEqual(page)
        expect(newestOfBoth(other, one, { limit, offset })).toEqual(page)
      }
    }),
    { seed: 3, numRuns: 60 },
  )
})

test('looks at few numbers, however far back the page is', () => {
  const reads: number[] = []
  const counted = (rest: number): NewestFirst => ({
    length: 50_000,
    at(place) {
      reads.push(place)
      return 2 * (50_000 - place) + rest
    },
  })
  const page = newestOfBoth(counted(0), counted(1), { limit: 3, offset: 70_000 })
  expect(page).toEqual([30_001, 30_000, 29_999])
  expect(reads.length).toBeLessThan(60)
})

test('a log that is not there has no numbers, and a page beyond the end none', () => {
  const none = newestFirst(undefined, 0)
  const some = newestFirst(logOf([4, 7]), 0)
  expect(newestOfBoth(none, none, { limit: 5, offset: 0 })).toEqual([])
  expect(newestOfBoth(some, none, { limit: 5, offset: 1 })).toEqual([4])
  expect(newestOfBoth(none, some, { limit: 5, offset: Number.MAX_SAFE_INTEGER })).toEqual([])
})
