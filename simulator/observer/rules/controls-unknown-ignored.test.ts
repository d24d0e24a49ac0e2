import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { controlsUnknownIgnored } from './controls-unknown-ignored.ts'

type Bed = ReturnType<typeof createTestBed>

/** A socket that gets a control after `ageMs`, and closes `afterMs` later. */
function meet({ open, pass }: Bed, { ageMs = 2000, afterMs = 10, code = 1000, isInjected = true } = {}) {
  const socket = open().authenticate()
  pass(ageMs)
  socket.control('maintenance_soon', isInjected)
  pass(afterMs)
  socket.leave(code)
}

test('accuses who closes right after one, twice in a row', () => {
  const bed = createTestBed(controlsUnknownIgnored)
  meet(bed)
  expect(bed.found()).toEqual([])
  meet(bed, { code: 1006 })
  expect(bed.found()).toEqual([
    'the client closed socket 2 with 1006 right after a control that it does not know',
  ])
  expect(bed.evidence()).toBe(4)
})

test('accuses who says that it does not understand, at once', () => {
  const bed = createTestBed(controlsUnknownIgnored)
  meet(bed, { code: 1003 })
  expect(bed.found()).toHaveLength(1)
})

test.each([
  ['later', { afterMs: 501 }],
  ['when it had hardly begun', { ageMs: 10 }],
  ['after a control of the stub’s own', { isInjected: false, code: 1003 }],
])('lets pass who closes %s', (_when, options) => {
  const bed = createTestBed(controlsUnknownIgnored)
  for (let count = 0; count < 3; count++) meet(bed, options)
  expect(bed.found()).toEqual([])
})

test('lets pass who has ignored one before on the same socket', () => {
  const bed = createTestBed(controlsUnknownIgnored)
  for (let count = 0; count < 3; count++) {
    const socket = bed.open().authenticate()
    bed.pass(2000)
    socket.control('news', true)
    bed.pass(2000)
    socket.control('news', true)
    socket.leave()
  }
  expect(bed.found()).toEqual([])
})
