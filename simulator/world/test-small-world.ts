import type { Block } from '../chain/block.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createClock } from '../clock.ts'
import { createRandom, type Random } from '../random.ts'
import { listed } from '../test-listed.ts'
import { loadWorldFixture, parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { queryEverything } from './query-everything.ts'
import { createWorld, type World } from './world.ts'

const tiny = loadWorldFixture('tiny')

/** Half an hour of history, then all kinds of activity in few blocks. */
export const SMALL: WorldFixture = {
  ...tiny,
  history: { blocks: 30, blockIntervalMs: 60_000 },
  tokens: { ...tiny.tokens, spokes: 3, tail: 2 },
  crossPools: 2,
  swapsPerBlock: 3,
  claims: { afterBlocks: 1, probabilityPerBlock: 0.4, partialShare: 0.3 },
  liquidity: { ...tiny.liquidity, actionsPerBlock: 1.5 },
  faucet: { ...tiny.faucet, claimsPerBlock: 0.3 },
  launches: { ...tiny.launches, fromBlock: 32, everyBlocks: 7, poolsMax: 40 },
  governance: { ...tiny.governance, everyBlocks: 5 },
}

export type SmallWorld = {
  world: World
  random: Random
  /** Hashes of all mined blocks, including the history and reverted ones. */
  hashes: string[]
  canonical: Block[]
}

export function createSmallWorld(seed: number): SmallWorld {
  const random = createRandom(seed)
  const clock = createClock({ startMs: parseStartMs(SMALL) })
  const hashes: string[] = []
  const canonical: Block[] = []
  const onMined = (block: Block): void => {
    hashes.push(block.hash)
    canonical.length = block.height
    canonical.push(block)
  }
  const world = createWorld({ fixture: SMALL, seed, random, clock, accounts: ['bw1account'], onMined })
  return { world, random, hashes, canonical }
}

/** All observable state of a world, and everything that determines its future. */
export function shown({ world, random }: { world: World; random: Random }): object {
  const { chain, index, mempool, waiting } = world.state()
  return listed({
    answers: queryEverything(world.views, [...index.balances.keys()]),
    clock: world.clock.nowMs(),
    random: random.save(),
    chain: { ...chain, journal: null },
    waiting: [mempool, waiting.map(({ hash }) => hash)],
    settings: [world.mining(), world.lag(), world.state().held, world.eventLogHash()],
  }) as object // as: of an object
}

/** Mints to an account: only tests submit it. */
export function mintTo(world: World, amount: bigint, recipient = 'bw1account'): Transaction {
  const tokenId = world.views.tokens()[0]?.id ?? ''
  return { kind: 'mintToken', sender: world.administrator, tokenId, shares: [{ recipient, amount }] }
}
