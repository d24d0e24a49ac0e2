import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import type { Block } from '../chain/block.ts'
import { createClock } from '../clock.ts'
import type { Views } from '../indexer/views/views.ts'
import { createRandom } from '../random.ts'
import { listed } from '../test-listed.ts'
import { parseStartMs } from '../world-fixture.ts'
import { createRecentBlocks } from './chain-node.ts'
import { createReplica, createReplicas, shareReads } from './replica.ts'
import { queryEverything, SMALL } from './test-small-world.ts'
import { createWorld } from './world.ts'

const INTERVAL_MS = SMALL.blockIntervalMs

const actions = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('advance' as const), count: fc.integer({ min: 1, max: 3000 }) }),
    fc.record({ do: fc.constant('reorg' as const), count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      do: fc.constantFrom('hold' as const, 'release' as const, 'keep' as const, 'revert' as const),
      count: fc.constant(0),
    }),
  ),
  { minLength: 4, maxLength: 10 },
)

test('a replica shows what the primary showed no longer ago than the lag, whatever happens to the chain', () => {
  let stepsBack = 0
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 0, max: 2500 }), actions, (seed, lagMs, taken) => {
      const { world, blocks } = createKeptWorld(seed)
      const shownAt = new Map([[world.views.head().hash, shown(world.views)]])
      world.onBlock(({ block }) => shownAt.set(block.hash, shown(world.views)))
      // The listener never saw the blocks that the replica starts behind by.
      const replica = createReplica({ world, blocks, lagMs })
      world.include({ name: 'replica', save: () => null, restore: replica.restart })
      let kept: string | undefined
      const act = {
        mine: (count: number) => world.mine(count),
        advance: (count: number) => world.advance(count),
        reorg: (count: number) => world.reorg(count),
        hold: () => world.holdIndexer(),
        release: () => world.releaseIndexer(),
        keep: () => {
          kept = world.snapshot()
        },
        revert: () => {
          if (kept !== undefined) world.revert(kept)
        },
      }
      for (const { do: name, count } of taken) {
        act[name](count)
        const head = replica.views().head()
        const dueMs = world.clock.nowMs() - lagMs
        const due = blocks
          .all()
          .filter(({ timeMs, height }) => timeMs <= dueMs && height <= world.views.head().height)
        expect(head.timeMs).toBeGreaterThanOrEqual(due.at(-1)?.timeMs ?? 0)
        if (shownAt.has(head.hash)) expect(shown(replica.views())).toEqual(shownAt.get(head.hash))
        if (head.hash !== world.views.head().hash) stepsBack++
      }
      world.releaseIndexer()
      world.mine()
      world.advance(lagMs)
      expect(shown(replica.views())).toEqual(shown(world.views))
      replica.stop()
      const { height } = replica.views().head()
      world.mine()
      world.advance(lagMs)
      expect(replica.views().head().height).toBe(height)
    }),
    { seed: 3, numRuns: IN_FULL ? 12 : 4 },
  )
  expect(stepsBack).toBeGreaterThan(10)
})

test('a replica starts behind, by the blocks that are younger than its lag', () => {
  const { world, blocks } = createKeptWorld(5)
  world.mine(10)
  const { height } = world.views.head()
  const behind = (lagMs: number) => height - createReplica({ world, blocks, lagMs }).views().head().height
  expect([0, INTERVAL_MS - 1, INTERVAL_MS, 3 * INTERVAL_MS + 1].map(behind)).toEqual([0, 1, 1, 4])
})

test('several share reads among them, each with its own lag', () => {
  const { world, blocks } = createKeptWorld(5)
  const stream = createRandom(1).stream('replicas')
  const pick = shareReads(createReplicas({ world, blocks }), { count: 3, lagMs: 6 * INTERVAL_MS, stream })
  if (!pick) throw new Error('expected three replicas')
  world.mine(10)
  const head = world.views.head().height
  const heights = Array.from({ length: 40 }, () => head - pick().head().height)
  expect([...new Set(heights)].sort()).toEqual([2, 4, 6])
  expect(heights.some((behind, index) => behind > (heights[index - 1] ?? behind))).toBe(true)
})

/** As in the stub: the newest blocks are a part of the world's snapshots. */
function createKeptWorld(seed: number) {
  const blocks = createRecentBlocks({ countMax: 128 })
  const world = createWorld({
    fixture: SMALL,
    seed,
    random: createRandom(seed),
    clock: createClock({ startMs: parseStartMs(SMALL) }),
    accounts: ['bw1account'],
    onMined: (block: Block) => blocks.add(block),
  })
  world.include({ name: 'blocks', save: blocks.save, restore: blocks.restore })
  return { world, blocks }
}

function shown(views: Views): unknown {
  return listed(queryEverything(views, ['bw1account']))
}
