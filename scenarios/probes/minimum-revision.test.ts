import { expect, test, vi } from 'vitest'
import { lowerInText } from './minimum-revision.ts'

// Modules that need k6.
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

test.each([
  [1057n, 999n],
  [1000n, 999n],
  [10n, 9n],
  [9n, -1n],
  [0n, -1n],
])('of the revisions below %s, %s is later as text', (current, lower) => {
  expect(lowerInText(current)).toBe(lower)
})
