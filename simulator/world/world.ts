/** A world: chain, agents and indexer on one clock and one seed. The exchange sees views, and updates after indexed blocks. */
import { createAgents } from '../agents/agents.ts'
import type { Block } from '../chain/block.ts'
import { deriveTransactionId } from '../chain/chain.ts'
import { emptyState } from '../chain/state.ts'
import type { ConfigChange, Transaction } from '../chain/transaction.ts'
import { type Clock, createClock } from '../clock.ts'
import { createIndexer, type Indexer } from '../indexer/indexer.ts'
import type { BlockUpdate, Views } from '../indexer/views/views.ts'
import { createRandom, type Random } from '../random.ts'
import type { Part } from '../undo-log.ts'
import { parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { createIndexQueue } from './index-queue.ts'
import { createMiner } from './miner.ts'
import { type Context, createSnapshots, readDump, type WorldOrigin, writeDump } from './world-snapshots.ts'
import {
  type Lag,
  type Mining,
  requireLag,
  requireMining,
  requireWithin,
  type WorldState,
} from './world-state.ts'

export type { WorldState } from './world-state.ts'

/** Methods throw WorldError argument_invalid for numbers that are not whole, or out of the bounds of world-state.ts. */
export type World = {
  clock: Clock
  views: Views
  /** Mines now, advancing the virtual clock by the block interval for each block (1 by default). */
  mine(blocks?: number): void
  /**
   * Adds a transaction to the next block, ahead of the agents'; returns the id that it will have there. With mining on demand,
   * mines that block at once, at the clock's time and with nothing else; if a listener of onBlock submits, after the blocks in
   * progress.
   */
  submit(transaction: Transaction): string
  /** Mints tokens, freezes positions, sets the faucet and changes the configuration. */
  administrator: string
  /** Submits a governance transaction for the next block; it raises the revision. */
  changeConfig(change: ConfigChange): void
  /** Stops indexing while mining continues: the views do not change. */
  holdIndexer(): void
  /** Indexes the waiting blocks in order, except those that the lag holds back. */
  releaseIndexer(): void
  /** 0 blocks at first. A smaller lag indexes the blocks that become due immediately. */
  setLag(lag: Lag): void
  lag(): Lag
  /** Called after each indexed block; returns a function that removes the listener. */
  onBlock(listener: (update: BlockUpdate) => void): () => void
  /** Receives each indexed and each reverted block, ahead of all listeners; returns a function that removes the follower. */
  follow(follower: Follower): () => void
  /** The chain's revision, maybe ahead of views.protocolState().revision. */
  chainRevision(): number
  /** sha256, hex, over every block so far. */
  eventLogHash(): string
  /** State of chain and indexer for checkers; read-only. */
  state(): WorldState
  /**
   * Starts mining as `mining` says. The interval begins now; a restored world resumes its interval, unless the next block fell
   * due while the world was stopped.
   */
  start(): void
  stop(): void
  mining(): Mining
  /** Restarts the interval now. With mining on demand, mines submitted transactions immediately. */
  setMining(mining: Mining): void
  advance(ms: number): void
  /**
   * Reverts the last blocks and mines others at their heights and times, from the same transactions: each may come a block later,
   * or be dropped if an agent sent it, but the administrator's stay. Submitted ones are never lost, but get another id if others
   * of their sender now come before or after them; a branch without movable transactions comes back the same. The agents draw
   * nothing. Throws WorldError reorg_too_deep.
   */
  reorg(depth: number): void
  /** Saves the world with the clock, the random streams and the included parts; returns an id. Throws WorldError snapshots_full. */
  snapshot(): string
  /** Reverts to a snapshot and drops later ones; other timers keep their remaining delay. Throws WorldError snapshot_unknown. */
  revert(id: string): void
  dropSnapshot(id: string): void
  /** Saves a snapshot's contents except chain, history and agents, for startOver. */
  saveContext(): Context
  /** Adopts the state of a new world, which must not be used any more, and restores `context`. Drops snapshots. */
  startOver(newWorld: World, context: Context): void
  /** A snapshot's contents, for a file: see loadWorld. */
  dump(): Buffer
  /** Includes a part in snapshots and dumps. In a world loaded from a dump with that part, restores it now. */
  include<Saved>(part: Part<Saved>): void
}

export type Follower = { add(block: Block): void; takeBack(): void }

export type WorldOptions = {
  fixture: WorldFixture
  seed: number
  random: Random
  clock: Clock
  accounts: readonly string[]
  /** Called for each mined block, those of the history and of reorgs included, after indexing unless the block waits. */
  onMined?: (block: Block, state: WorldState) => void
}

/**
 * Creates the world with its history mined and indexed. Advances the clock to the end of the history; throws if the clock is past
 * it already, as the blocks would differ.
 */
export function createWorld(options: WorldOptions): World {
  const { fixture, clock } = options
  const { world, mineAt } = assemble(options)
  mineHistory(fixture, clock, mineAt)
  return world
}

/**
 * Loads a dumped world with a new clock and random; the caller starts it. `source` names the dump in messages. Throws WorldError
 * dump_foreign, dump_version, dump_damaged.
 */
export function loadWorld(options: {
  dump: Buffer
  source?: string
  onMined?: (block: Block, state: WorldState) => void
}): { world: World; random: Random; origin: WorldOrigin } {
  const { dump, source = 'the dump', ...listeners } = options
  const { origin, state } = readDump(dump, source)
  const clock = createClock({ startMs: parseStartMs(origin.fixture) })
  const random = createRandom(origin.seed)
  const { world, restore } = assemble({ ...origin, clock, random, ...listeners })
  restore(state)
  return { world, random, origin }
}

type Assembled = { world: World; mineAt(timeMs: number): void; restore(saved: unknown): void }

function assemble(options: WorldOptions): Assembled {
  const { fixture, seed, random, clock, accounts, onMined = () => {} } = options
  const agents = createAgents({ fixture, random, accounts })
  const { administrator } = agents.people
  const indexer = createIndexer({ stableTokenId: agents.tokens.stable.id })
  const state: WorldState = {
    chain: emptyState({ startMs: parseStartMs(fixture), administrator }),
    index: indexer.state,
    agents: agents.state,
    mempool: [],
    recent: [],
    waiting: [],
    held: false,
    lag: { blocks: 0 },
    mining: { mode: 'interval', intervalMs: fixture.blockIntervalMs },
    nextBlockAtMs: null,
    reorged: 0,
  }
  const listeners = new Set<(update: BlockUpdate) => void>()
  const notify = (update: BlockUpdate): void => {
    for (const listener of listeners) listener(update)
  }
  const followers = new Set<Follower>()
  const followed: Pick<Indexer, 'index' | 'undo'> = {
    index(block) {
      const update = indexer.index(block)
      for (const follower of followers) follower.add(block)
      return update
    },
    undo() {
      indexer.undo()
      for (const follower of followers) follower.takeBack()
    },
  }
  const queue = createIndexQueue({ state, clock, indexer: followed, notify })
  const miner = createMiner({
    state,
    clock,
    agents,
    queue,
    stream: random.stream('chain/reorg'),
    intervalMs: fixture.blockIntervalMs,
    onMined: (block) => onMined(block, state),
  })
  const snapshots = createSnapshots({ state, clock, random })
  /** The world's own timers have fixed due times in the state, so they are rearmed. */
  const goBack = (restore: () => void): void => {
    restore()
    miner.rearm()
    queue.settle()
  }
  const submit = (transaction: Transaction): string => {
    const { sender } = transaction
    const nonce = (state.chain.nonces.get(sender) ?? 0) + miner.countWaiting(sender)
    miner.submit(transaction)
    return deriveTransactionId(transaction, nonce)
  }

  const world: World = {
    clock,
    views: indexer.views,
    mine(blocks = 1) {
      requireWithin('blocks', blocks)
      miner.mine(blocks)
    },
    submit,
    administrator,
    changeConfig: (change) => {
      submit({ kind: 'changeConfig', sender: administrator, change })
    },
    holdIndexer: () => {
      state.held = true
    },
    releaseIndexer() {
      state.held = false
      queue.settle()
    },
    setLag(lag) {
      requireLag(lag)
      state.lag = lag
      queue.settle()
    },
    lag: () => state.lag,
    onBlock(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    follow(follower) {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    chainRevision: () => state.chain.configuration.revision,
    eventLogHash: () => state.chain.eventLogHash,
    state: () => state,
    start: miner.start,
    stop: miner.stop,
    mining: () => state.mining,
    setMining(mining) {
      requireMining(mining)
      miner.setMining(mining)
    },
    advance(ms) {
      requireWithin('advanceMs', ms)
      clock.advance(ms)
    },
    reorg(depth) {
      requireWithin('depth', depth)
      miner.reorg(depth)
    },
    snapshot: snapshots.take,
    revert: (id) => goBack(() => snapshots.revert(id)),
    dropSnapshot: snapshots.drop,
    saveContext: snapshots.saveContext,
    startOver: (newWorld, context) => goBack(() => snapshots.startOver(newWorld.state(), context)),
    dump: () => writeDump({ fixture, seed, accounts }, snapshots.save()),
    include: snapshots.include,
  }
  return { world, mineAt: miner.mineAt, restore: (saved) => goBack(() => snapshots.restore(saved)) }
}

/** Mines the first block and the history, at the fixture's times whatever the clock says. */
function mineHistory(fixture: WorldFixture, clock: Clock, mineAt: (timeMs: number) => void): void {
  const { blocks, blockIntervalMs } = fixture.history
  const firstMs = parseStartMs(fixture)
  const lastMs = firstMs + blocks * blockIntervalMs
  if (clock.nowMs() > lastMs) {
    throw new RangeError(`the clock is past the end of the world's history: start it at ${lastMs} or before`)
  }
  for (let height = 0; height <= blocks; height++) mineAt(firstMs + height * blockIntervalMs)
  clock.advance(lastMs - clock.nowMs())
}
