import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { findSharedPositions, swapsClaimed } from './swaps-claimed.ts'

/** Pending and claimed swaps of each round of reads; the last one repeats. */
const world = vi.hoisted(() => ({
  rounds: [] as { pending: string[]; claimed: string[] }[],
  read: 0,
  /** Time over which the last confirmation repeats its reads. */
  confirmedMs: 0,
}))

type Confirmed<Seen> = {
  first: Seen
  describeError: (seen: Seen) => string | undefined
  again: () => Promise<Seen>
  serverWaitMs?: number
}

const pending = () => {
  const rows = world.rounds[0]?.pending.map((swap_id) => ({ swap_id }))
  return { reply: { status: 200, json: { data: { pending_swaps: rows } } } }
}

// Modules that need k6.
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/market/read-unclaimed.ts', () => ({
  async goOn() {},
  async readUnclaimed() {
    if (world.read++ > 0 && world.rounds.length > 1) world.rounds.shift()
    return pending()
  },
  readOwedTo: async () => pending(),
}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('../lib/requests/walk.ts', () => ({
  async walkPages() {
    const [{ pending, claimed } = { pending: [], claimed: [] }] = world.rounds
    const claim = { claim_tx: 't', claimed_at: 'now' }
    const rows = [...new Set([...pending, ...claimed])].map((swap_id) => ({
      swap_id,
      ...(claimed.includes(swap_id) ? claim : {}),
    }))
    return { rows, ended: true }
  },
}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({
  async confirm<Seen>({ first, describeError, again, serverWaitMs = 0 }: Confirmed<Seen>) {
    let last = first
    world.confirmedMs = 3 * serverWaitMs
    for (let tries = 1; tries < 4; tries++) {
      last = await again()
      if (describeError(last) === undefined) return { outcome: 'gone', last }
    }
    return { outcome: 'persistent', last, explanation: '' }
  },
}))

beforeEach(() => Object.assign(world, { rounds: [], read: 0, confirmedMs: 0 }))

test.each([
  ['the same swap stays pending and claimed', ['a', 'a', 'a', 'a'], 'fail'],
  ['another swap is pending and claimed each time, as with a read that lags', ['a', 'b', 'c', 'd'], 'pass'],
])('%s', async (_, both, verdict) => {
  const end = { pending: [], claimed: both }
  world.rounds = [...both.map((id) => ({ pending: [id], claimed: [id] })), end]
  const found: string[] = []
  await judgeProbe({
    rules: swapsClaimed.rules,
    getExpected: () => '',
    run: (judge) => swapsClaimed.run({} as Target, judge), // as: unused
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => found.push(finding.verdict),
  })
  expect(found).toEqual([verdict])
  // /unclaimed may be cached.
  expect(world.confirmedMs).toBeGreaterThan(30_000)
})

const ROW = {
  ...{ token_id: 't1', pool: 'p', tick_lower: -10, tick_upper: 10, is_private: false },
  ...{ tokens_owed0: '5', tokens_owed1: '0', last_transaction_hash: 'h1' },
}

test.each([
  { why: 'the same row', other: ROW, shared: true },
  { why: 'more owed since the other read', other: { ...ROW, tokens_owed0: '6' }, shared: true },
  {
    why: 'another transaction, the same amounts',
    other: { ...ROW, last_transaction_hash: 'h2' },
    shared: true,
  },
  {
    why: 'another transaction and other amounts',
    other: { ...ROW, last_transaction_hash: 'h2', tokens_owed0: '6' },
    shared: false,
  },
  { why: 'another pool', other: { ...ROW, pool: 'q' }, shared: false },
  { why: 'another range', other: { ...ROW, tick_upper: 20 }, shared: false },
  { why: 'another id', other: { ...ROW, token_id: 't2' }, shared: false },
  { why: 'a private position', other: { ...ROW, is_private: true }, shared: false },
])('two wallets share a position with $why: $shared', ({ other, shared }) => {
  expect(findSharedPositions([ROW], [other])).toEqual(shared ? [ROW] : [])
})

test('without a transaction, nothing owed proves nothing', () => {
  const { last_transaction_hash: _, ...plain } = ROW
  expect(findSharedPositions([plain], [plain])).toEqual([plain])
  const empty = { ...plain, tokens_owed0: '0' }
  expect(findSharedPositions([empty], [empty])).toEqual([])
})
