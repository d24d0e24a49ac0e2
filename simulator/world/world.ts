/**
 * A world: chain, agents and indexer on one clock and one seed. What the exchange sees of it are the views and the
 * updates after each indexed block.
 */
import { createAgents } from '../agents/agents.ts'
import type { Block } from '../chain/block.ts'
import { transactionIdOf } from '../chain/chain.ts'
import { emptyState } from '../chain/state.ts'
import type { ConfigChange, Transaction } from '../chain/transaction.ts'
import { type Clock, createClock } from '../clock.ts'
import { createIndexer, type Indexer } from '../indexer/indexer.ts'
import type { BlockUpdate, Views } from '../indexer/views/views.ts'
import { createRandom, type Random } from '../random.ts'
import type { Part } from '../undo-log.ts'
import { startMsOf, type WorldFixture } from '../world-fixture.ts'
import { createIndexQueue } from './index-queue.ts'
import { createMiner } from './miner.ts'
import { type Beside, createSnapshots, readDump, type WorldOrigin, writeDump } from './world-snapshots.ts'
import {
  type Lag,
  type Mining,
  requireLag,
  requireMining,
  requireWithin,
  type WorldState,
} from './world-state.ts'

export type { WorldState } from './world-state.ts'

/** Numbers that are not whole, or out of the bounds of world-state.ts, are refused: WorldError argument_invalid. */
export type World = {
  clock: Clock
  views: Views
  /** Mines now, moving the virtual clock on by the block interval for each block (1 by default). */
  mine(blocks?: number): void
  /**
   * Puts a transaction into the next block, ahead of the agents'; returns the id that it will have there. Mining on
   * demand, that block comes at once, at the clock's time, and holds nothing else; where a listener of onBlock
   * submits, it comes after the blocks that are being mined.
   */
  submit(transaction: Transaction): string
  /** Mints tokens, freezes positions, sets the faucet and changes the configuration. */
  administrator: string
  /** A governance transaction in the next block; it raises the revision. */
  changeConfig(change: ConfigChange): void
  /** Blocks are mined but not indexed: the views stand still. */
  holdIndexer(): void
  /** Indexes what waited, in order, but for what the lag keeps back. */
  releaseIndexer(): void
  /** None (0 blocks) at first. A smaller one indexes at once what it allows. */
  setLag(lag: Lag): void
  lag(): Lag
  /** After each indexed block; returns what ends it. */
  onBlock(listener: (update: BlockUpdate) => void): () => void
  /** Gets each block as it is indexed and loses those that are taken back, ahead of all listeners; returns what ends it. */
  follow(follower: Follower): () => void
  /** The chain's revision, maybe ahead of views.protocolState().revision. */
  chainRevision(): number
  /** sha256, hex, over every block so far. */
  eventLogHash(): string
  /** What chain and indexer know, for checkers: to be read, never changed. */
  state(): WorldState
  /**
   * From here on blocks come as `mining` says. The interval begins now; in a world that was put back it goes on,
   * unless the next block fell due while the world was stopped.
   */
  start(): void
  stop(): void
  mining(): Mining
  /** An interval begins now. What was submitted is mined at once where mining comes on demand. */
  setMining(mining: Mining): void
  advance(ms: number): void
  /**
   * Takes the last blocks back and mines others at their heights and times, from the same transactions: each may come a
   * block later, or not at all if an agent sent it, but the administrator's stay. What was submitted is never lost, but
   * gets another id if others of its sender now come before or after it; a branch without transactions that may move comes
   * back the same. The agents draw nothing.
   * Throws WorldError reorg_too_deep.
   */
  reorg(depth: number): void
  /** Keeps the world as it is, with the clock, the random streams and the parts included; returns an id. WorldError snapshots_full. */
  snapshot(): string
  /** Goes back to a snapshot, which is kept; later ones are dropped. Timers of others keep what they had left. WorldError snapshot_unknown. */
  revert(id: string): void
  /** WorldError snapshot_unknown. */
  dropSnapshot(id: string): void
  /** What a snapshot holds beside chain, history and agents; to be kept for startOver. */
  saveBeside(): Beside
  /**
   * Puts the state of a world that was made anew, and is given up for it, in the place of this one's, with what stood beside
   * this one at the time. Snapshots are dropped.
   */
  startOver(anew: World, beside: Beside): void
  /** All that a snapshot holds, for a file: see loadWorld. */
  dump(): Buffer
  /** Makes something beside the world join snapshots and dumps. In a world loaded from a dump that has it, it is restored now. */
  include<Saved>(part: Part<Saved>): void
}

/** Has an index of its own. */
export type Follower = { add(block: Block): void; takeBack(): void }

export type WorldOptions = {
  fixture: WorldFixture
  seed: number
  random: Random
  clock: Clock
  /** Wallets that hold balances from the start and trade most. */
  accounts: readonly string[]
  /** Called for each block, those of the history and of reorgs too, once it is mined and, unless it waits, indexed. */
  onMined?: (block: Block, state: WorldState) => void
}

/**
 * The world with its history mined and indexed. The clock is moved on to the end of the history, where the caller's
 * stands before it; one that is past it already is refused, as the blocks would differ.
 */
export function createWorld(options: WorldOptions): World {
  const { fixture, clock } = options
  const { world, mineAt } = assemble(options)
  mineHistory(fixture, clock, mineAt)
  return world
}

/**
 * The world that was dumped, as it stood, with a clock and a random of its own; the caller starts it. `source` names the
 * dump in messages. Throws WorldError dump_foreign, dump_version, dump_damaged.
 */
export function loadWorld(options: {
  dump: Buffer
  source?: string
  onMined?: (block: Block, state: WorldState) => void
}): { world: World; random: Random; origin: WorldOrigin } {
  const { dump, source = 'the dump', ...listeners } = options
  const { origin, state } = readDump(dump, source)
  const clock = createClock({ startMs: startMsOf(origin.fixture) })
  const random = createRandom(origin.seed)
  const { world, restore } = assemble({ ...origin, clock, random, ...listeners })
  restore(state)
  return { world, random, origin }
}

type Assembled = { world: World; mineAt(timeMs: number): void; restore(saved: unknown): void }

/** The parts put together, before the first block. */
function assemble(options: WorldOptions): Assembled {
  const { fixture, seed, random, clock, accounts, onMined = () => {} } = options
  const agents = createAgents({ fixture, random, accounts })
  const { administrator } = agents.people
  const indexer = createIndexer({ stableTokenId: agents.tokens.stable.id })
  const state: WorldState = {
    chain: emptyState({ startMs: startMsOf(fixture), administrator }),
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
  /** The world's own timers stand for times of the state, so they do not keep what they had left. */
  const goBack = (restore: () => void): void => {
    restore()
    miner.rearm()
    queue.settle()
  }
  const submit = (transaction: Transaction): string => {
    const { sender } = transaction
    const nonce = (state.chain.nonces.get(sender) ?? 0) + miner.countWaiting(sender)
    miner.submit(transaction)
    return transactionIdOf(transaction, nonce)
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
    saveBeside: snapshots.saveBeside,
    startOver: (anew, beside) => goBack(() => snapshots.startOver(anew.state(), beside)),
    dump: () => writeDump({ fixture, seed, accounts }, snapshots.save()),
    include: snapshots.include,
  }
  return { world, mineAt: miner.mineAt, restore: (saved) => goBack(() => snapshots.restore(saved)) }
}

/** The first block and the history, at the fixture's times whatever the clock says. */
function mineHistory(fixture: WorldFixture, clock: Clock, mineAt: (timeMs: number) => void): void {
  const { blocks, blockIntervalMs } = fixture.history
  const firstMs = startMsOf(fixture)
  const lastMs = firstMs + blocks * blockIntervalMs
  if (clock.nowMs() > lastMs) {
    throw new RangeError(`the clock stands after the world's history: start it at ${lastMs} or before`)
  }
  for (let height = 0; height <= blocks; height++) mineAt(firstMs + height * blockIntervalMs)
  clock.advance(lastMs - clock.nowMs())
}
