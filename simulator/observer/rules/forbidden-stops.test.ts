import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { forbiddenStops } from './forbidden-stops.ts'

const FORBIDDEN = { status: 403, code: 'access_required' }

function poll(times: number, everyMs: number, request = FORBIDDEN) {
  const bed = createTestBed(forbiddenStops)
  for (let count = 0; count < times; count++) {
    bed.ask(request)
    bed.pass(everyMs)
  }
  return bed
}

test('accuses who goes on without access', () => {
  expect(poll(7, 5000).found()).toEqual([
    'a wallet without access was refused with 403 7 times, each after the answer before',
  ])
})

test('lets pass who tries some times, or once in a while', () => {
  expect(poll(6, 1000).found()).toEqual([])
  expect(poll(50, 31_000).found()).toEqual([])
})

test('lets pass requests that were under way together', () => {
  const { arrive, found } = createTestBed(forbiddenStops)
  for (const answer of Array.from({ length: 20 }, () => arrive(FORBIDDEN))) answer()
  expect(found()).toEqual([])
})

test('lets pass a wallet that is refused for another reason', () => {
  expect(poll(20, 1000, { status: 403, code: 'session_required' }).found()).toEqual([])
})
