import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { framesSize } from './frames-size.ts'

test('accuses of a frame that is too large', () => {
  const { open, found } = createTestBed(framesSize)
  open().frame({ action: 'too large' })
  expect(found()).toEqual(['socket 1 sent a frame of more than 2048 bytes'])
})

test('lets pass whatever else comes', () => {
  const { open, found, cases } = createTestBed(framesSize)
  open().frame({ action: 'invalid' })
  expect([found(), cases()]).toEqual([[], 1])
})
