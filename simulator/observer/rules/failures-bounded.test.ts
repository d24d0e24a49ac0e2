import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { failuresBounded } from './failures-bounded.ts'

function fail(times: number, everyMs: number) {
  const bed = createTestBed(failuresBounded)
  for (let count = 0; count < times; count++) {
    bed.ask({ status: 503 })
    bed.pass(everyMs)
  }
  return bed
}

test('accuses who never gives up', () => {
  expect(fail(30, 100).found()).toEqual([
    'GET /fee-tiers was answered with 5xx 30 times in a row, within 2900 ms',
  ])
})

test('lets pass who gives up, who slows down, and who reads every half a second', () => {
  expect(fail(29, 100).found()).toEqual([])
  expect(fail(200, 501).found()).toEqual([])
})

test('lets pass a success in between', () => {
  const { ask, found } = fail(29, 10)
  ask()
  ask({ status: 503 })
  expect(found()).toEqual([])
})

test('lets pass many at once', () => {
  const { arrive, pass, found } = createTestBed(failuresBounded)
  const answers = Array.from({ length: 100 }, () => arrive({ status: 503 }))
  pass(1)
  for (const answer of answers) answer()
  expect(found()).toEqual([])
})

test('lets pass a revision that is pending, which has a rule of its own', () => {
  const { ask, pass, found } = createTestBed(failuresBounded)
  for (let count = 0; count < 50; count++) {
    ask({ status: 503, code: 'protocol_revision_pending' })
    pass(100)
  }
  expect(found()).toEqual([])
})
