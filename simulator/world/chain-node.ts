import type { Block, Receipt } from '../chain/block.ts'
import { deriveTransactionId } from '../chain/chain.ts'
import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { Saves } from '../undo-log.ts'
import type { World } from './world.ts'

export const BLOCKS_KEPT = 128

/** A pending transaction, or one in a block that is still kept. */
export type FoundTransaction =
  | { status: 'pending'; id: string; transaction: Transaction }
  | { status: 'mined'; id: string; block: Block; index: number; receipt: Receipt }

/** A node's view of the chain: ahead of the indexer if that lags, never behind. */
export type ChainNode = {
  /** Adds a transaction to the next block; returns its id. */
  submit(transaction: Transaction): string
  administrator: string
  state(): ChainState
  pending(): readonly Transaction[]
  /** By height or hash; undefined if unknown or no longer kept. */
  block(at: number | string): Block | undefined
  transaction(id: string): FoundTransaction | undefined
}

/** Serves `/debug` and submitters of transactions; keeps the newest blocks only. */
export function createChainNode(options: {
  world: Pick<World, 'submit' | 'administrator' | 'state'>
  blocks: Pick<RecentBlocks, 'all'>
}): ChainNode {
  const { world, blocks } = options

  const findPending = (id: string): FoundTransaction | undefined => {
    const { chain, mempool } = world.state()
    const nonces = new Map<string, number>()
    for (const transaction of mempool) {
      const { sender } = transaction
      const nonce = nonces.get(sender) ?? chain.nonces.get(sender) ?? 0
      nonces.set(sender, nonce + 1)
      if (deriveTransactionId(transaction, nonce) === id) return { status: 'pending', id, transaction }
    }
    return undefined
  }
  const findMined = (id: string): FoundTransaction | undefined => {
    for (const block of blocks.all()) {
      const index = block.receipts.findIndex((receipt) => receipt.id === id)
      const receipt = block.receipts[index]
      if (receipt) return { status: 'mined', id, block, index, receipt }
    }
    return undefined
  }

  return {
    submit: world.submit,
    administrator: world.administrator,
    state: () => world.state().chain,
    pending: () => world.state().mempool,
    block: (at) => blocks.all().find(({ height, hash }) => height === at || hash === at),
    transaction: (id) => findPending(id) ?? findMined(id),
  }
}

export type RecentBlocks = Saves<Block[]> & {
  /** Adds the newest block; drops blocks at its height and above, which a reorg replaced. */
  add(block: Block): void
  all(): readonly Block[]
}

export function createRecentBlocks(options: { countMax: number }): RecentBlocks {
  let blocks: Block[] = []
  return {
    add(block) {
      while ((blocks.at(-1)?.height ?? -1) >= block.height) blocks.pop()
      blocks.push(block)
      if (blocks.length > options.countMax) blocks.shift()
    },
    all: () => blocks,
    save: () => blocks,
    restore(saved) {
      blocks = saved
    },
  }
}
