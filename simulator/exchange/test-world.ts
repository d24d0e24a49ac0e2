/** The world for tests of the exchange: more than a page of pools and swaps, ending at a round time. */

import { createClock } from '../clock.ts'
import type { TokenView } from '../indexer/views/market-views.ts'
import type { Views } from '../indexer/views/views.ts'
import { createRandom } from '../random.ts'
import {
  BLOCKS_KEPT,
  type ChainNode,
  createChainNode,
  createRecentBlocks,
  type RecentBlocks,
} from '../world/chain-node.ts'
import { createWorld, loadWorld, type World } from '../world/world.ts'
import { loadWorldFixture } from '../world-fixture.ts'

export type TestWorld = World & { node: ChainNode; blocks: RecentBlocks }

/** Loading the world takes less than half the time of mining its history. */
let dump: Buffer | undefined

/** A separate, always equal world with its history; the clock does not move. */
export function createTestWorld(): TestWorld {
  dump ??= mineTestWorld().dump()
  const blocks = createRecentBlocks({ countMax: BLOCKS_KEPT })
  const { world } = loadWorld({ dump, onMined: blocks.add })
  world.include({ name: 'blocks', save: blocks.save, restore: blocks.restore })
  return { ...world, blocks, node: createChainNode({ world, blocks }) }
}

function mineTestWorld(): World {
  const tiny = loadWorldFixture('tiny')
  const fixture = {
    ...tiny,
    startAt: '2024-12-31T23:00:00Z',
    history: { blocks: 60, blockIntervalMs: 60_000 },
    tokens: { ...tiny.tokens, spokes: 50 },
    crossPools: 30,
    swapsPerBlock: 4,
  }
  const blocks = createRecentBlocks({ countMax: BLOCKS_KEPT })
  const clock = createClock({ startMs: Date.parse(fixture.startAt) })
  const random = createRandom(11)
  const world = createWorld({ fixture, seed: 11, random, clock, accounts: [], onMined: blocks.add })
  world.include({ name: 'blocks', save: blocks.save, restore: blocks.restore })
  return world
}

export function tokenBySymbol(views: Views, symbol: string): TokenView {
  const token = views.tokens().find((row) => row.symbol === symbol)
  if (!token) throw new Error(`the test world has no token ${symbol}`)
  return token
}
