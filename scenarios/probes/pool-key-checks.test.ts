import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Walk } from '../lib/requests/walk.ts'
import { type Judge, judgeProbe } from '../lib/verdict/judge.ts'
import {
  compareFlags,
  findOtherFields,
  judgeListedFlags,
  judgeOwnTrades,
  judgeSameFields,
  listTradedApart,
  listTurnedFees,
  listUnknownKeys,
} from './pool-key-checks.ts'

const lists = vi.hoisted(() => ({ reads: 0, explore: '', later: '', pools: '' }))
const trading = vi.hoisted(() => ({ swaps: '', reads: 0, trades: (_: string, __: number): object[] => [] }))

vi.mock('../lib/requests/walk.ts', () => ({
  walkPages: async (_: Target, { path }: { path: string }) => {
    const explore = lists.reads++ < 2 ? lists.explore : lists.later || lists.explore
    const flags = path === '/pools' ? lists.pools : explore
    const rows = [...flags].map((flag, index) => ({ key: `k${index}`, enabled: flag === '1', fee: '0.1' }))
    return { rows, last: { evidence: () => path } } as unknown as Walk // as: only these are read
  },
}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({ bearer: 'b' }) }))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  requestParsed: async (_: Target, { path }: { path: string }) => {
    const readPool = () => ({ fee: pools.fees.shift(), enabled: pools.enabled })
    const readTrades = () => (path.endsWith('/trades') ? trading.trades(path, trading.reads++) : readPool())
    const data = path === '/swaps' ? swapsThrough(trading.swaps) : readTrades()
    return { status: 200, json: { data }, evidence: () => path }
  },
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

/** A swap through one pool for each letter. */
function swapsThrough(pools: string) {
  return [...pools].map((pool, index) => ({ transaction: `t${index}`, hops: [{ pool }] }))
}

const RULE = 'paging.explore.key-reads'
const TARGET = {} as Target // as: unused

async function judgeLists(run = (judge: Judge) => judgeListedFlags(TARGET, judge, RULE)) {
  const verdicts: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => {
      await run(judge)
      judge.pass(RULE, 'agree')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

beforeEach(() => Object.assign(lists, { reads: 0, later: '' }))

const pools = vi.hoisted(() => ({ fees: [] as string[], enabled: true }))
const pair = (pool: object) => ({ row: { key: 'k0', fee: '0.1', enabled: true }, pool })

test.each([
  { why: 'the fee stays another', fees: ['0.2', '0.2', '0.2'], verdict: 'fail' },
  { why: 'the list had not caught up', fees: ['0.2', '0.1'], verdict: 'pass' },
  { why: 'the fee keeps changing', fees: ['0.2', '0.3', '0.4'], verdict: 'pass' },
  { why: 'the flag stays another', fees: ['0.1', '0.1', '0.1'], enabled: false, verdict: 'fail' },
])('$verdict if $why', async ({ fees, enabled = true, verdict }) => {
  Object.assign(lists, { explore: '', pools: '1' })
  Object.assign(pools, { fees: [...fees], enabled })
  const pairs = [pair({ fee: fees[0], enabled })]
  expect(await judgeLists((judge) => judgeSameFields(TARGET, judge, { rule: RULE, pairs }))).toBe(verdict)
})

test('compares fees and flags that both have', () => {
  const others = [pair({ fee: '0.1' }), pair({ fee: 0.2, enabled: false })].flatMap((one) =>
    findOtherFields([one]),
  )
  expect(others).toEqual([{ key: 'k0', seen: 'enabled false, and true in /pools, with the key k0' }])
})

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

test.each([
  { why: 'in the same order, in another unit', fees: '500 3000 10000', percents: '0.05 0.3 1', turned: [] },
  { why: 'equal', fees: '1 2', percents: '0.3 0.3', turned: [] },
  { why: 'of equal fees', fees: '3 3', percents: '0.4 0.3', turned: [] },
  { why: 'in the opposite order', fees: '3 5', percents: '5 3', turned: ['k0 k1'] },
  { why: 'of another unit in one row', fees: '5 30 100', percents: '500 0.3 1', turned: ['k0 k1', 'k0 k2'] },
  { why: 'no decimals', fees: '3/1000 5/1000', percents: '0.5% 0.3%', turned: [] },
])('feePercent that are $why: $turned', ({ fees, percents, turned }) => {
  const toRows = (texts: string, name: string) =>
    texts.split(' ').map((text, index) => ({ key: `k${index}`, [name]: text }))
  expect(listTurnedFees(toRows(percents, 'feePercent'), toRows(fees, 'fee').toReversed())).toEqual(turned)
})

test.each([
  { listed: ['pool-12', 'pool-34'], unknown: ['pool-14', 'pool', 'pool-12x'] },
  { listed: ['p-1'], unknown: ['p-', 'p-1x'] },
  { listed: ['a1', 'a2', 'a', 'a1x'], unknown: [] },
  { listed: [], unknown: [] },
])('$listed gives the unknown keys $unknown', ({ listed, unknown }) => {
  expect(listUnknownKeys(listed)).toEqual(unknown)
})

async function judgeTrades() {
  const verdicts: string[] = []
  await judgeProbe({
    rules: ['paging.key.round-trip'],
    getExpected: () => '',
    run: async (judge) => {
      await judgeOwnTrades(TARGET, judge)
      judge.pass('paging.key.round-trip', '')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return `${verdicts.join()} after ${trading.reads}`
}

const TRADES = [{ id: 1 }, { id: 2 }, { id: 3 }]

test.each([
  { why: 'four pools have the same trades', swaps: 'abcd', trades: () => TRADES, verdict: 'fail after 16' },
  {
    why: 'each has its own',
    swaps: 'abcd',
    trades: (path: string) => [...TRADES, { path }],
    verdict: 'pass after 2',
  },
  { why: 'they have two', swaps: 'abcd', trades: () => TRADES.slice(1), verdict: 'pass after 1' },
  {
    why: 'they have the same only at first',
    swaps: 'abcd',
    trades: (path: string, read: number) => [...TRADES, { path: read < 4 ? '' : path }],
    verdict: 'pass after 10',
  },
  { why: 'only three were traded', swaps: 'abca', trades: () => TRADES, verdict: 'pass after 0' },
])('trades: $verdict if $why', async ({ swaps, trades, verdict }) => {
  Object.assign(trading, { swaps, reads: 0, trades })
  expect(await judgeTrades()).toBe(verdict)
})

test('pools count as traded apart by swaps through them alone, in different transactions', () => {
  const swap = (transaction: string, pools: string) => ({
    transaction,
    hops: [...pools].map((pool) => ({ pool })),
  })
  const swaps = [
    swap('1', 'a'),
    swap('2', 'a'),
    swap('1', 'b'),
    swap('3', 'cd'),
    swap('4', 'e'),
    { hops: [{}] },
  ]
  expect(listTradedApart(swaps)).toEqual(['a', 'e'])
})
