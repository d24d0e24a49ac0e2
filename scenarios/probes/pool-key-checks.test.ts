import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Walk } from '../lib/requests/walk.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { compareFlags, judgeListedFlags, listUnknownKeys } from './pool-key-checks.ts'

const lists = vi.hoisted(() => ({ reads: 0, explore: '', later: '', pools: '' }))

vi.mock('../lib/requests/walk.ts', () => ({
  walkPages: async (_: Target, { path }: { path: string }) => {
    const explore = lists.reads++ < 2 ? lists.explore : lists.later || lists.explore
    const flags = path === '/pools' ? lists.pools : explore
    const rows = [...flags].map((flag, index) => ({ key: `k${index}`, enabled: flag === '1' }))
    return { rows, last: { evidence: () => path } } as unknown as Walk // as: only these are read
  },
}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

const RULE = 'paging.explore.key-reads'
const TARGET = {} as Target // as: unused

async function judgeLists() {
  const verdicts: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => {
      await judgeListedFlags(TARGET, judge, RULE)
      judge.pass(RULE, 'agree')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

beforeEach(() => Object.assign(lists, { reads: 0, later: '' }))

test.each([
  { why: 'three rows contradict their pools', explore: '10100', pools: '11111', verdict: 'fail' },
  { why: 'all rows contradict them', explore: '00000', pools: '11111', verdict: 'pass' },
  { why: 'two rows contradict them', explore: '11001', pools: '11111', verdict: 'pass' },
  { why: 'they agree', explore: '11010', pools: '11010', verdict: 'pass' },
  {
    why: 'other rows contradict them later',
    explore: '10001',
    later: '01110',
    pools: '11111',
    verdict: 'pass',
  },
])('$verdict if $why', async ({ why: _, verdict, ...flags }) => {
  Object.assign(lists, flags)
  expect(await judgeLists()).toBe(verdict)
})

test('compares only pools of both lists, and only flags', () => {
  const row = (key: string, enabled: unknown) => ({ key, enabled })
  const explore = [row('a', true), row('b', true), row('c', 'yes'), row('d', true)]
  const pools = [row('d', true), row('c', false), row('a', false)]
  expect(compareFlags(explore, pools)).toEqual({ opposite: ['a'], same: 1 })
})

// Modules that need k6.
vi.mock('../lib/requests/request-parsed.ts', () => ({}))

test.each([
  { listed: ['pool-12', 'pool-34'], unknown: ['pool-14', 'pool'] },
  { listed: ['abc'], unknown: ['ab'] },
  { listed: ['a1', 'a2', 'a'], unknown: [] },
  { listed: [], unknown: [] },
])('$listed gives the unknown keys $unknown', ({ listed, unknown }) => {
  expect(listUnknownKeys(listed)).toEqual(unknown)
})
