import { expect, test } from 'vitest'
import { framesAllowed } from './frames-allowed.ts'

test.each([
  [0, 240],
  [1, 244],
  [2.5, 250],
])('allows a burst of %d s %d frames', (seconds, allowed) => {
  expect(framesAllowed({ seconds })).toBe(allowed)
})
