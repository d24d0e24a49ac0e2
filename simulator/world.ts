/**
 * A world: chain, agents and indexer on one clock and one seed. What the exchange sees of it are the views and the
 * updates after each indexed block.
 */
import { createAgents } from './agents/agents.ts'
import type { Block } from './chain/block.ts'
import { mineBlock, transactionIdOf } from './chain/chain.ts'
import { type ChainState, emptyState } from './chain/state.ts'
import type { ConfigChange, Transaction } from './chain/transaction.ts'
import type { Clock, Timer } from './clock.ts'
import type { IndexState } from './indexer/index-state.ts'
import { createIndexer } from './indexer/indexer.ts'
import type { BlockUpdate, Views } from './indexer/views.ts'
import type { Random } from './random.ts'
import { startMsOf, type WorldFixture } from './world-fixture.ts'

export type World = {
  clock: Clock
  views: Views
  /** Mines now, moving the virtual clock on by the block interval for each block (1 by default). */
  mine(blocks?: number): void
  /** Puts a transaction into the next block, ahead of the agents'; returns the id that it will have there. */
  submit(transaction: Transaction): string
  /** Mints tokens, freezes positions, sets the faucet and changes the configuration. */
  administrator: string
  /** A governance transaction in the next block; it raises the revision. */
  changeConfig(change: ConfigChange): void
  /** Blocks are mined but not indexed: the views stand still. */
  holdIndexer(): void
  /** Indexes what waited, in order. */
  releaseIndexer(): void
  /** After each indexed block; returns what ends it. */
  onBlock(listener: (update: BlockUpdate) => void): () => void
  /** The chain's revision, maybe ahead of views.protocolState().revision. */
  chainRevision(): number
  /** sha256, hex, over every block so far. */
  eventLogHash(): string
  /** What chain and indexer know, for checkers: to be read, never changed. */
  state(): WorldState
  /** From here on the clock mines a block each interval. */
  start(): void
  stop(): void
}

export type WorldState = { chain: ChainState; index: IndexState }

/**
 * The world with its history mined and indexed. The clock is moved on to the end of the history, where the caller's
 * stands before it; one that is past it already is refused, as the blocks would differ.
 */
export function createWorld(options: {
  fixture: WorldFixture
  seed: number
  random: Random
  clock: Clock
  /** Wallets that hold balances from the start and trade most. */
  accounts: readonly string[]
  /** Called for each block, those of the history too, once it is mined and, unless it is held, indexed. */
  onMined?: (block: Block, state: WorldState) => void
}): World {
  const { fixture, random, clock, accounts } = options
  const agents = createAgents({ fixture, random, accounts })
  const chain = emptyState({ startMs: startMsOf(fixture), administrator: agents.people.administrator })
  const indexer = createIndexer({ stableTokenId: agents.tokens.stable.id })
  const state = { chain, index: indexer.state }
  const listeners = new Set<(update: BlockUpdate) => void>()
  const mempool: Transaction[] = []
  const waiting: Block[] = []
  let held = false
  let timer: Timer | undefined

  const index = (block: Block): void => {
    const update = indexer.index(block)
    for (const listener of listeners) listener(update)
  }
  const mineAt = (timeMs: number): void => {
    const transactions = [...mempool.splice(0), ...agents.act(chain, timeMs - chain.timeMs)]
    const block = mineBlock(chain, transactions, timeMs)
    if (held) waiting.push(block)
    else index(block)
    options.onMined?.(block, state)
  }
  const submit = (transaction: Transaction): string => {
    const { sender } = transaction
    const before = mempool.filter((waiting) => waiting.sender === sender).length
    mempool.push(transaction)
    return transactionIdOf(transaction, (chain.nonces.get(sender) ?? 0) + before)
  }
  const armTimer = (): void => {
    timer = clock.after(fixture.blockIntervalMs, () => {
      armTimer()
      mineAt(clock.nowMs())
    })
  }

  mineHistory(fixture, clock, mineAt)
  return {
    clock,
    views: indexer.views,
    mine(blocks = 1) {
      const running = timer !== undefined
      for (let mined = 0; mined < blocks; mined++) {
        // The timer would fall due within the interval and mine a block of its own.
        timer?.cancel()
        clock.advance(fixture.blockIntervalMs)
        mineAt(clock.nowMs())
        if (running) armTimer()
      }
    },
    submit,
    administrator: agents.people.administrator,
    changeConfig: (change) => {
      submit({ kind: 'changeConfig', sender: agents.people.administrator, change })
    },
    holdIndexer: () => {
      held = true
    },
    releaseIndexer() {
      held = false
      for (const block of waiting.splice(0)) index(block)
    },
    onBlock(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    chainRevision: () => chain.configuration.revision,
    eventLogHash: () => chain.eventLogHash,
    state: () => state,
    start() {
      if (!timer) armTimer()
    },
    stop() {
      timer?.cancel()
      timer = undefined
    },
  }
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
