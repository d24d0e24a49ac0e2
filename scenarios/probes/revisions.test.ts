import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { describeFarRevision, requestAhead } from './revisions.ts'

type Reads = { ahead: readonly (number | string)[]; plain: readonly number[] }

/** Responses in turn, the last one for all later requests; a text is the code of a 503. */
const exchange = vi.hoisted(() => ({ ahead: [], plain: [], sent: 0 }) as Reads & { sent: number })

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({
  async readProtocolState(_: unknown, minimum?: bigint) {
    const reads = minimum === undefined ? exchange.plain : exchange.ahead
    const seen = reads[Math.min(exchange.sent, reads.length - 1)]
    if (minimum !== undefined) exchange.sent++
    return typeof seen === 'string' ? { status: 503, json: { code: seen } } : { status: seen, json: {} }
  },
}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
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

const PENDING = 'protocol_revision_pending'

test.each<[string, Reads, string]>([
  ['pending', { ahead: [PENDING], plain: [200] }, '503 protocol_revision_pending'],
  [
    'pending after two unrelated 503s',
    { ahead: [503, 503, PENDING], plain: [200] },
    '503 protocol_revision_pending',
  ],
  ['503 each time', { ahead: [503], plain: [200] }, '503'],
  ['503 with another code each time', { ahead: ['PENDING'], plain: [200] }, '503 PENDING'],
  ['503, as is the current one later', { ahead: [503], plain: [200, 503] }, 'not served'],
  ['503, then rate limited', { ahead: [503, 429], plain: [200] }, 'not served'],
  ['rate limited each time', { ahead: [429], plain: [200] }, '429'],
])('the next revision is %s', async (_, reads, expected) => {
  Object.assign(exchange, reads, { sent: 0 })
  const found = await requestAhead({} as Target, 8n).then(
    // as: unused by the mocks
    ({ status, json }) => [status, (json as { code?: string }).code].join(' ').trim(), // as: of the mock
    (error: Error) => error.message.match(/not served/)?.[0],
  )
  expect(found).toBe(expected)
})
