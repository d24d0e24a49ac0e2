import { expect, test } from 'vitest'
import type { Block } from '../../chain/block.ts'
import { createClock } from '../../clock.ts'
import { createRandom } from '../../random.ts'
import { createWorld } from '../../world/world.ts'
import { loadWorldFixture, parseStartMs } from '../../world-fixture.ts'
import { createIndexer, type Indexer } from '../indexer.ts'
import { createPricing } from '../pools/valuation.ts'
import type { ExploreRow, ExploreSort, MetricWindow } from '../views/market-views.ts'
import type { Views } from '../views/views.ts'
import { createExplore } from './explore.ts'

const tiny = loadWorldFixture('tiny')
const WINDOWS: readonly MetricWindow[] = ['1h', '1d', '1w', '1m']
const SORTS: readonly ExploreSort[] = ['createdAt', 'tvlUsd', 'volumeUsd', 'priceUsd', 'priceChangePct']

test.each([700, 30_000, 2_000_000])(
  'cached data equal a fresh computation, including after reorganizations; a block each %d ms',
  (blockIntervalMs) => {
    const indexer = createIndexer({ stableTokenId: stableTokenId() })
    for (const block of blocksWithReorgs(blockIntervalMs)) {
      while (indexer.state.head.height >= block.height) indexer.undo()
      indexer.index(block)
      if (indexer.state.head.height % 3 !== 0) continue
      expect(everything(indexer.views)).toEqual(everything(freshExplore(indexer)))
    }
  },
)

test('a row is the same object until its content changes', () => {
  const indexer = createIndexer({ stableTokenId: stableTokenId() })
  const blocks = blocksWithReorgs(700)
  for (const block of blocks.slice(0, 30)) indexer.index(block)
  const before = new Set(everything(indexer.views))
  const texts = new Set([...before].map(toText))
  indexer.index(blocks[30] as Block) // as: the world has mined more
  const after = everything(indexer.views)
  const kept = after.filter((row) => before.has(row))
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length).toBeLessThan(after.length)
  // No new object has the content of an old one.
  for (const row of after) if (!before.has(row)) expect(texts.has(toText(row))).toBe(false)
})

function everything(views: Pick<Views, 'exploreOrder'>): ExploreRow[] {
  return WINDOWS.flatMap((window) =>
    SORTS.flatMap((sort) =>
      (['asc', 'desc'] as const).flatMap((order) => {
        const { rows, places } = views.exploreOrder({ window, sort, order })
        return Array.from(places, (place) => rows[place] as ExploreRow) // as: one of its indices
      }),
    ),
  )
}

function freshExplore({ state }: Indexer): Pick<Views, 'exploreOrder'> {
  const pricing = createPricing(state)
  return createExplore(state, { valuation: () => pricing().prices, undone: () => 0 })
}

function blocksWithReorgs(blockIntervalMs: number): Block[] {
  const blocks: Block[] = []
  const world = tinyWorld(blockIntervalMs, (block) => blocks.push(block))
  for (const depth of [3, 9, 1]) {
    world.mine(12)
    world.reorg(depth)
  }
  world.mine(3)
  return blocks
}

function tinyWorld(blockIntervalMs: number, onMined?: (block: Block) => void) {
  return createWorld({
    fixture: { ...tiny, blockIntervalMs },
    seed: 11,
    random: createRandom(11),
    clock: createClock({ startMs: parseStartMs(tiny) }),
    accounts: [],
    ...(onMined && { onMined }),
  })
}

function stableTokenId(): string {
  const { views } = tinyWorld(700)
  return views.tokens().find(({ symbol }) => symbol === tiny.tokens.stable.symbol)?.id ?? ''
}

function toText(row: ExploreRow): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
