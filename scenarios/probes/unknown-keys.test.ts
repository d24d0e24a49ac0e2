import { expect, test, vi } from 'vitest'
import { listUnknownKeys } from './unknown-keys.ts'

// Modules that need k6.
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/request-parsed.ts', () => ({}))

test.each([
  { listed: ['pool-12', 'pool-34'], unknown: ['pool-14', 'pool'] },
  { listed: ['abc'], unknown: ['ab'] },
  { listed: ['a1', 'a2', 'a'], unknown: [] },
  { listed: [], unknown: [] },
])('$listed gives the unknown keys $unknown', ({ listed, unknown }) => {
  expect(listUnknownKeys(listed)).toEqual(unknown)
})
