import { expect, test } from 'vitest'
import { createActivityJournal } from './activity-journal.ts'
import { createClock } from './clock.ts'

function createJournal(options: { entriesMax: number; opened: number }) {
  const clock = createClock({ startMs: 1000 })
  const journal = createActivityJournal({ clock, entriesMax: options.entriesMax })
  for (let socket = 1; socket <= options.opened; socket++) {
    clock.advance(1)
    journal.record({ kind: 'socket', socket, event: 'opened' })
  }
  const numbers = (after: number, limit = 100) =>
    journal.read({ after, limit }).entries.map(({ number }) => number)
  return { journal, numbers }
}

test('returns activities with their virtual times', () => {
  const { journal } = createJournal({ entriesMax: 10, opened: 2 })
  expect(journal.read({ after: 0, limit: 100 })).toEqual({
    entries: [
      { number: 1, atMs: 1001, kind: 'socket', socket: 1, event: 'opened' },
      { number: 2, atMs: 1002, kind: 'socket', socket: 2, event: 'opened' },
    ],
    last: 2,
  })
})

test('continues after a number, up to the limit', () => {
  const { numbers } = createJournal({ entriesMax: 10, opened: 5 })
  expect(numbers(0, 2)).toEqual([1, 2])
  expect(numbers(2, 2)).toEqual([3, 4])
  expect(numbers(4, 2)).toEqual([5])
  expect(numbers(5, 2)).toEqual([])
  expect(numbers(99, 2)).toEqual([])
})

test('keeps only the newest', () => {
  const { journal, numbers } = createJournal({ entriesMax: 3, opened: 8 })
  expect(numbers(0)).toEqual([6, 7, 8])
  expect(numbers(6)).toEqual([7, 8])
  expect(journal.read({ after: 0, limit: 1 })).toMatchObject({ entries: [{ number: 6 }], last: 8 })
})

test('finds an entry by its number while it is kept', () => {
  const { journal } = createJournal({ entriesMax: 3, opened: 8 })
  expect([5, 6, 8, 9, 0].map((number) => journal.find(number)?.number)).toEqual([
    undefined,
    6,
    8,
    undefined,
    undefined,
  ])
})

test('is empty at first', () => {
  const { journal } = createJournal({ entriesMax: 3, opened: 0 })
  expect(journal.read({ after: 0, limit: 10 })).toEqual({ entries: [], last: 0 })
})
