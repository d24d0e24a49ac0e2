import { expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeIds } from './routing.ts'

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))

const RULE = 'route.hops.exact-ids'

async function judgeHops(hops: readonly object[]) {
  const profile = profileSchema.parse({
    name: 'test',
    baseUrl: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1',
    choices: { route: { hops: 'data.hops', hop: { pool: 'pool', tokenIn: 'in', tokenOut: 'out' } } },
  })
  const target = { profile } as Target // as: only its profile is read
  const reply = { json: { data: { hops } }, evidence: () => '' } as Reply // as: only these are read
  const pair = { tokenIn: 'a', tokenOut: 'b', distance: 1 }
  const verdicts: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => judgeIds(target, judge, [{ pair, amountIn: '1', reply }]),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

const GOOD = { pool: 'p', in: 'a', out: 'b' }

test.each([
  ['strings', [GOOD, GOOD], 'pass'],
  ['a number', [GOOD, { ...GOOD, in: 7 }], 'fail'],
  ['null', [GOOD, { ...GOOD, pool: null }], 'fail'],
  ['an object', [{ ...GOOD, pool: { key: 'p' } }], 'fail'],
  ['a field that a hop does not have', [GOOD, { pool: 'p', in: 'a' }], 'pass'],
  ['none of the fields', [{ kind: 'swap' }], 'skipped'],
])('pools and tokens of hops: %s', async (_, hops, verdict) => {
  expect(await judgeHops(hops)).toBe(verdict)
})
