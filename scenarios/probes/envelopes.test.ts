import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { RequestSpec } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { envelopes } from './envelopes.ts'

const stub = vi.hoisted(() => ({ garbled: '', contentType: 'text/plain' }))

// Modules that need k6. The exchange rejects every read.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({ bearer: 'valid' }) }))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/probe/watch-errors.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  async requestParsed(_: Target, { path, credential }: RequestSpec) {
    const name = credential && 'bearer' in credential ? `${path} by ${credential.bearer}` : path
    const isGarbled = stub.garbled !== '' && name.startsWith(stub.garbled)
    const contentType = isGarbled ? stub.contentType : 'application/json'
    return {
      ...{ status: 401, contentType, headers: {}, evidence: () => name },
      json: isGarbled ? undefined : { error: 'no' },
    }
  },
}))
vi.mock('./data-paths.ts', () => ({ STATED_DATA_PATHS: [] }))

beforeEach(() => Object.assign(stub, { garbled: '', contentType: 'text/plain' }))

async function verdict(state: Partial<typeof stub>): Promise<string> {
  Object.assign(stub, state)
  const found: string[] = []
  await judgeProbe({
    rules: ['wire.body.json'],
    getExpected: () => '',
    run: (judge) => envelopes.run({} as Target, judge), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, evidence }) => found.push([verdict, ...evidence].join(' ')),
  })
  return found.join()
}

test('rejections in JSON pass', async () => {
  expect(await verdict({})).toBe('pass')
})

test.each([
  '/fee-tiers',
  '/schema/trading',
  '/access/status',
  '/referral/status',
  '/route',
  '/swaps by ss_made-up',
  '/fee-tiers by ss_made-up',
])('a 401 of %s that is no JSON fails', async (garbled) => {
  expect(await verdict({ garbled })).toContain(`fail ${garbled}`)
})

test('an HTML page instead of a 401 of /route may be that of a proxy', async () => {
  expect(await verdict({ garbled: '/route', contentType: 'text/html; charset=utf-8' })).toBe('pass')
})
