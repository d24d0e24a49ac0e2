/** The world for tests of the exchange: more than a page of pools and swaps, ending at a round time; a small one that is watched. */
import { demoWallets } from '../auth/wallets.ts'
import type { Block } from '../chain/block.ts'
import type { ChainEvent } from '../chain/transaction.ts'
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
import { SMALL } from '../world/test-small-world.ts'
import { createWorld, loadWorld, type World } from '../world/world.ts'
import { loadWorldFixture, parseStartMs } from '../world-fixture.ts'

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

/** A small world in which the wallets of a test bed trade, with all of its blocks, to compute expected responses. */
export type Watched = {
  world: TestWorld
  blocks: readonly Block[]
  events<Kind extends ChainEvent['kind']>(kind: Kind): readonly Placed<Kind>[]
}

export type Placed<Kind extends ChainEvent['kind']> = {
  event: Extract<ChainEvent, { kind: Kind }>
  block: Block
  transaction: string
}

/** Draws the same wallets as createTestBed: of the first three, the last has no access. */
export function watchedWorld(seed: number): Watched {
  const accounts = demoWallets({ random: createRandom(1), count: 3 }).map(({ address }) => address)
  const recent = createRecentBlocks({ countMax: Number.POSITIVE_INFINITY })
  const world = createWorld({
    fixture: SMALL,
    seed,
    random: createRandom(seed),
    clock: createClock({ startMs: parseStartMs(SMALL) }),
    accounts,
    onMined: recent.add,
  })
  world.mine(40)
  return {
    world: { ...world, blocks: recent, node: createChainNode({ world, blocks: recent }) },
    blocks: recent.all(),
    events: (kind) =>
      recent
        .all()
        .flatMap((block) =>
          block.receipts.flatMap(({ id, events }) =>
            events.flatMap((event) => (isKind(event, kind) ? [{ event, block, transaction: id }] : [])),
          ),
        ),
  }
}

function isKind<Kind extends ChainEvent['kind']>(
  event: ChainEvent,
  kind: Kind,
): event is Extract<ChainEvent, { kind: Kind }> {
  return event.kind === kind
}
