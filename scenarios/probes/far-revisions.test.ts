import { expect, test, vi } from 'vitest'
import { describeFarRevision } from './far-revisions.ts'

// Modules that need k6.
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))

test.each([
  { status: 500, served: undefined, problem: '500' },
  { status: 200, served: 7n, problem: '200 with an older revision' },
  { status: 200, served: 8n, problem: '200 with an older revision' },
  { status: 200, served: 1007n, problem: undefined },
  { status: 200, served: undefined, problem: undefined },
  { status: 503, served: undefined, problem: undefined },
  { status: 504, served: undefined, problem: undefined },
  { status: 400, served: undefined, problem: undefined },
  { status: 0, served: undefined, problem: undefined },
])('a revision far ahead of 7: $status with $served is $problem', ({ problem, ...seen }) => {
  expect(describeFarRevision(seen, 7n)).toBe(problem)
})
