import { expect, test } from 'vitest'
import { ALICE, keyOf, swapTransaction, tokenId } from '../chain/test-chain.ts'
import { HISTORY_LIMITS } from './history-limits.ts'
import { CHUNK_LENGTH, countAppended, logLength } from './history-log.ts'
import { indexedPool } from './index-state.ts'
import { logSwap, logSwapOfPool } from './swaps.ts'
import { createTestIndex } from './test-index.ts'

const ALL = { limit: 1_000_000, offset: 0 }

/** A world whose log of swaps has come round: one real swap, then others that stand for those of a long time. */
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
  const hops = [{ pool: keyOf('A', 'B'), zeroForOne: true }]
  for (let count = 1; count <= HISTORY_LIMITS.swaps + 2000; count++) {
    // Every tenth goes through the first pool too.
    const route = count % 10 === 0 ? [...hops, ...first.hops] : hops
    for (const { pool } of route) logSwapOfPool(index.state.journal, indexedPool(index.state, pool), count)
    logSwap(index.state, { ...first, sequence: count, swapId: `${count}`, hops: route })
  }
  return { ...index, first }
}

test('the newest are kept, as many as the limit says, by themselves and by pool', () => {
  const { views, state } = longLog()
  const [newest, oldest] = [HISTORY_LIMITS.swaps + 2000, 2001]
  const all = views.swaps(ALL)
  expect(all.total).toBe(HISTORY_LIMITS.swaps)
  expect([all.rows[0]?.swapId, all.rows.at(-1)?.swapId]).toEqual([`${newest}`, `${oldest}`])
  expect(views.swaps({ limit: 10, offset: HISTORY_LIMITS.swaps - 1 }).rows).toHaveLength(1)

  const ofPool = views.swaps({ ...ALL, pool: keyOf('USD', 'A') })
  const expected = all.rows.filter(({ hops }) => hops.some(({ pool }) => pool === keyOf('USD', 'A')))
  expect(ofPool).toEqual({ rows: expected, total: HISTORY_LIMITS.swaps / 10 })
  for (const { swaps } of state.pools.values()) {
    expect(logLength(swaps)).toBeLessThan(countAppended(swaps))
    expect(logLength(swaps)).toBeLessThan(HISTORY_LIMITS.swaps + 2 * CHUNK_LENGTH)
  }
})

test('an output that waits outlives its swap', () => {
  const { views, step, first } = longLog()
  const { swapId } = first
  expect(views.swaps(ALL).rows.some((swap) => swap.swapId === swapId)).toBe(false)
  const pending = () => views.unclaimed({ address: ALICE, viewer: ALICE }).pendingSwaps
  expect(pending()).toMatchObject([{ swapId, inputToken: { id: tokenId('USD') }, amountRemaining: 996_999n }])
  step({ kind: 'claim', sender: ALICE, swapId })
  expect(pending()).toEqual([])
})
