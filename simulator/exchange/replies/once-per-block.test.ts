import { expect, test } from 'vitest'
import { oncePerBlock } from './once-per-block.ts'

test('makes the value anew for another block only, one of the same height included', () => {
  let head = { height: 1, hash: 'a', timeMs: 0 }
  let made = 0
  const value = oncePerBlock({ head: () => head }, () => ++made)
  expect([value(), value()]).toEqual([1, 1])
  head = { height: 1, hash: 'b', timeMs: 0 }
  expect([value(), value()]).toEqual([2, 2])
})
