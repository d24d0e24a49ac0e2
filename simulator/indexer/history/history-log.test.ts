import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJournal, openBlock, undoBlock } from '../../undo-log.ts'
import {
  appendItem,
  CHUNK_LENGTH,
  countAppended,
  dropOldChunks,
  emptyLog,
  firstNumberNot,
  type HistoryLog,
  itemNumbered,
  logLength,
} from './history-log.ts'

const journal = createJournal({ depthMax: 0 })

function buildLog(count: number, kept = Number.POSITIVE_INFINITY): HistoryLog<number> {
  const log = emptyLog<number>()
  for (let item = 0; item < count; item++) appendItem(journal, log, item, kept)
  return log
}

test('keeps at least the limit, less than a chunk more, and drops the oldest', () => {
  const log = emptyLog<number>()
  for (let item = 0; item < 5000; item++) {
    const dropped = appendItem(journal, log, item, 1000)
    expect(logLength(log)).toBeGreaterThanOrEqual(Math.min(item + 1, 1000))
    expect(logLength(log)).toBeLessThan(1000 + CHUNK_LENGTH)
    if (dropped) expect(dropped[dropped.length - 1]).toBe(log.dropped - 1)
  }
  expect(countAppended(log)).toBe(5000)
  expect(log.dropped).toBeGreaterThan(3800)
})

test('the number of an item is its index among all appended', () => {
  const log = buildLog(3000, 500)
  for (let number = log.dropped; number < 3000; number++) expect(itemNumbered(log, number)).toBe(number)
  for (const number of [-1, 0, log.dropped - 1, 3000]) expect(itemNumbered(log, number)).toBeUndefined()
})

test('finds the first item that is not before the given one', () => {
  const log = buildLog(3000, 500)
  for (const sought of [log.dropped, 2700, 2999])
    expect(firstNumberNot(log, (item) => item < sought)).toBe(sought)
  expect(firstNumberNot(log, () => false)).toBe(log.dropped)
  expect(firstNumberNot(log, () => true)).toBe(3000)
  expect(firstNumberNot(emptyLog<number>(), () => true)).toBe(0)
})

test('drops chunks with only old items', () => {
  const log = buildLog(3 * CHUNK_LENGTH)
  dropOldChunks(journal, log, (item) => item < 2 * CHUNK_LENGTH - 1)
  expect(log.dropped).toBe(CHUNK_LENGTH)
  dropOldChunks(journal, log, () => true)
  expect([log.dropped, logLength(log)]).toEqual([3 * CHUNK_LENGTH, 0])
})

test('undo restores the items that a block appended and dropped', () => {
  fc.assert(
    fc.property(fc.nat({ max: 700 }), fc.nat({ max: 700 }), fc.nat({ max: 300 }), (before, added, kept) => {
      const log = buildLog(before, kept)
      const copy = structuredClone(log)
      const kept64 = createJournal({ depthMax: 1 })
      openBlock(kept64)
      for (let item = 0; item < added; item++) appendItem(kept64, log, before + item, kept)
      dropOldChunks(kept64, log, (item) => item < before)
      undoBlock(kept64)
      expect(log).toEqual(copy)
    }),
  )
})
