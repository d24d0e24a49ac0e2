import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALICE, buildPoolKey, swapTransaction, tokenId } from '../../chain/test-chain.ts'
import { createJournal } from '../../undo-log.ts'
import { createSmallWorld } from '../../world/test-small-world.ts'
import { createTestIndex } from '../test-index.ts'
import {
  appendItem,
  CHUNK_LENGTH,
  countAppended,
  emptyLog,
  HISTORY_LIMITS,
  type HistoryLog,
  logLength,
} from './history-log.ts'
import { logSwap, mergeNewest, type NewestFirst, newestFirst } from './swaps.ts'

const ALL = { viewer: null, limit: 1_000_000, offset: 0 }

/** A world with a full swap log: one real swap, then copies as if from a long time. */
function longLog() {
  const index = createTestIndex({
    symbols: ['USD', 'A', 'B'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
    ],
  })
  index.step(swapTransaction(['USD', 'A'], 1_000_000n))
  const [first] = index.state.pendingByRecipient.get(ALICE)?.values() ?? []
  if (!first) throw new Error('a swap was mined')
  const hops = [{ pool: buildPoolKey('A', 'B'), zeroForOne: true }]
  for (let count = 1; count <= HISTORY_LIMITS.swaps + 2000; count++) {
    // Every tenth goes through the first pool too.
    const route = count % 10 === 0 ? [...hops, ...first.hops] : hops
    logSwap(index.state, { ...first, sequence: count, swapId: `${count}`, hops: route })
  }
  return { ...index, first }
}

test('keeps the newest up to the limit, in total and by pool', () => {
  const { views, state } = longLog()
  const [newest, oldest] = [HISTORY_LIMITS.swaps + 2000, 2001]
  const all = views.swaps(ALL)
  expect(all.total).toBe(HISTORY_LIMITS.swaps)
  expect([all.rows[0]?.swapId, all.rows.at(-1)?.swapId]).toEqual([`${newest}`, `${oldest}`])
  expect(views.swaps({ viewer: null, limit: 10, offset: HISTORY_LIMITS.swaps - 1 }).rows).toHaveLength(1)

  const ofPool = views.swaps({ ...ALL, pool: buildPoolKey('USD', 'A') })
  const expected = all.rows.filter(({ hops }) => hops.some(({ pool }) => pool === buildPoolKey('USD', 'A')))
  expect(ofPool).toEqual({ rows: expected, total: HISTORY_LIMITS.swaps / 10 })
  const { all: numbers, byPool } = state.publicSwaps
  for (const list of [numbers, ...byPool.values()]) {
    expect(logLength(list)).toBeLessThan(countAppended(list))
    expect(logLength(list)).toBeLessThan(HISTORY_LIMITS.swaps + 2 * CHUNK_LENGTH)
  }
})

test('an unclaimed output outlives its swap', () => {
  const { views, step, first } = longLog()
  const { swapId } = first
  expect(views.swaps(ALL).rows.some((swap) => swap.swapId === swapId)).toBe(false)
  const pending = () => views.unclaimed({ address: ALICE, viewer: ALICE }).pendingSwaps
  expect(pending()).toMatchObject([{ swapId, inputToken: { id: tokenId('USD') }, amountRemaining: 996_999n }])
  step({ kind: 'claim', sender: ALICE, swapId })
  expect(pending()).toEqual([])
})

test('a private swap is visible only to its user and its recipient, in the list and in those of its pools', () => {
  const { views, step } = createTestIndex({
    symbols: ['USD', 'A', 'B'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
    ],
  })
  const BOB = 'bw1bob'
  const mine = { ...swapTransaction(['USD', 'A'], 1000n), isPrivate: true }
  const forBob = { ...swapTransaction(['USD', 'A', 'B'], 2000n), isPrivate: true, recipient: BOB }
  step(swapTransaction(['A', 'B'], 3000n), mine)
  step(forBob, { ...swapTransaction(['B', 'A'], 4000n), recipient: BOB }, mine)
  const amounts = (viewer: string | null, pool?: string) => {
    const { rows, total } = views.swaps({ viewer, limit: 10, offset: 0, ...(pool !== undefined && { pool }) })
    expect(total).toBe(rows.length)
    return rows.map(({ inputAmount }) => Number(inputAmount))
  }
  expect(amounts(ALICE)).toEqual([1000, 4000, 2000, 1000, 3000])
  expect(amounts(BOB)).toEqual([4000, 2000, 3000])
  for (const viewer of [null, 'bw1carol']) expect(amounts(viewer)).toEqual([4000, 3000])
  expect(amounts(ALICE, buildPoolKey('USD', 'A'))).toEqual([1000, 2000, 1000])
  expect(amounts(BOB, buildPoolKey('USD', 'A'))).toEqual([2000])
  expect(amounts(null, buildPoolKey('USD', 'A'))).toEqual([])
  expect(amounts(BOB, buildPoolKey('A', 'B'))).toEqual([4000, 2000, 3000])
})

test('the flag, the user and the recipient decide what each address sees, page by page', () => {
  const { canonical, world } = createSmallWorld(5)
  world.mine(60)
  const executed = canonical
    .flatMap(({ receipts }) => receipts.flatMap(({ events }) => events))
    .filter((event) => event.kind === 'swapExecuted')
    .reverse()
  expect(executed.filter(({ isPrivate }) => isPrivate).length).toBeGreaterThan(10)
  const users = new Set(executed.map(({ user }) => user))
  for (const viewer of [null, ...users]) {
    const visible = executed.filter(
      ({ isPrivate, user, recipient }) => !isPrivate || user === viewer || recipient === viewer,
    )
    for (const pool of [undefined, ...world.state().index.pools.keys()]) {
      const expected = visible.filter(({ hops }) => !pool || hops.some((hop) => hop.pool === pool))
      for (const offset of [0, 7, expected.length - 2]) {
        const query = { viewer, limit: 5, offset: Math.max(0, offset), ...(pool && { pool }) }
        const { rows, total } = world.views.swaps(query)
        expect(total).toBe(expected.length)
        const ids = expected.slice(query.offset, query.offset + 5).map(({ swapId }) => swapId)
        expect(rows.map(({ swapId }) => swapId)).toEqual(ids)
      }
    }
  }
})

const journal = createJournal({ depthMax: 0 })

function buildLog(numbers: readonly number[]): HistoryLog<number> {
  const log = emptyLog<number>()
  for (const number of numbers) appendItem(journal, log, number, Number.POSITIVE_INFINITY)
  return log
}

test('pages of any two lists equal those of both sorted together, from any oldest number on', () => {
  const drafts = fc.record({
    /** For each number its list, if any. */
    lists: fc.array(fc.constantFrom('one', 'other', 'neither'), { maxLength: 400 }),
    oldest: fc.nat(400),
    limit: fc.integer({ min: 1, max: 30 }),
  })
  fc.assert(
    fc.property(drafts, ({ lists, oldest, limit }) => {
      const numbersIn = (name: string) => lists.flatMap((list, number) => (list === name ? [number] : []))
      const [one, other] = ['one', 'other'].map((name) => newestFirst(buildLog(numbersIn(name)), oldest))
      if (!one || !other) throw new Error('two lists were made')
      const expected = lists
        .flatMap((list, number) => (list !== 'neither' && number >= oldest ? [number] : []))
        .reverse()
      expect(one.length + other.length).toBe(expected.length)
      for (let offset = 0; offset <= expected.length + 1; offset++) {
        const page = expected.slice(offset, offset + limit)
        expect(mergeNewest(one, other, { limit, offset })).toEqual(page)
        expect(mergeNewest(other, one, { limit, offset })).toEqual(page)
      }
    }),
    { seed: 3, numRuns: 60 },
  )
})

test('reads few numbers, even for old pages', () => {
  const reads: number[] = []
  const counted = (rest: number): NewestFirst => ({
    length: 50_000,
    at(place) {
      reads.push(place)
      return 2 * (50_000 - place) + rest
    },
  })
  const page = mergeNewest(counted(0), counted(1), { limit: 3, offset: 70_000 })
  expect(page).toEqual([30_001, 30_000, 29_999])
  expect(reads.length).toBeLessThan(60)
})

test('a missing log has no numbers, and a page past the end is empty', () => {
  const none = newestFirst(undefined, 0)
  const some = newestFirst(buildLog([4, 7]), 0)
  expect(mergeNewest(none, none, { limit: 5, offset: 0 })).toEqual([])
  expect(mergeNewest(some, none, { limit: 5, offset: 1 })).toEqual([4])
  expect(mergeNewest(none, some, { limit: 5, offset: Number.MAX_SAFE_INTEGER })).toEqual([])
})
