import { expect, test, vi } from 'vitest'
import { describeFarRevision } from './revisions.ts'

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/world/wait-until-shown.ts', () => ({}))

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
