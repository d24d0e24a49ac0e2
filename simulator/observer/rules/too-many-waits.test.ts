import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { tooManyWaits } from './too-many-waits.ts'

const LIMITED = { status: 429, code: 'rate_limited', retryAfterMs: 1000 }

function ask(times: number, everyMs: number, more = {}) {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < times; count++) {
    bed.ask({ ...LIMITED, ...more })
    bed.pass(everyMs)
  }
  return bed
}

test('accuses who goes on during the wait', () => {
  const { found, evidence } = ask(3, 200)
  expect(found()).toEqual(['GET /fee-tiers came again before Retry-After was over, 2 times in a row'])
  expect(evidence()).toBe(3)
})

test('accuses a loop that does not pause at all', () => {
  expect(ask(500, 1).found()).toHaveLength(1)
})

test('lets pass who waits, by a clock that is some milliseconds off, and is refused again', () => {
  expect(ask(10, 955).found()).toEqual([])
})

test('lets pass two programs of one wallet that cannot know of each other', () => {
  expect(ask(20, 500).found()).toEqual([])
})

test('lets pass two such programs whose clocks are some milliseconds off', () => {
  expect(ask(20, 480).found()).toEqual([])
})

test('lets pass requests that were under way together', () => {
  const { arrive, pass, found } = createTestBed(tooManyWaits)
  const answers = Array.from({ length: 20 }, () => arrive(LIMITED))
  for (const answer of answers) {
    answer()
    pass(3)
  }
  expect(found()).toEqual([])
})

test('lets pass other requests, and refusals that ask for no wait', () => {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < 20; count++) {
    bed.ask({ ...LIMITED, url: `/pools?offset=${count}` })
    bed.pass(150)
  }
  expect(bed.found()).toEqual([])
  expect(ask(20, 150, { retryAfterMs: null }).found()).toEqual([])
})
