import type { Block } from '../chain/block.ts'
import type { Saves } from '../part.ts'

export type RecentBlocks = Saves<Block[]> & {
  /** The newest block; those at its height and above, if there are any, came to nothing. */
  add(block: Block): void
  /** Oldest first. */
  all(): readonly Block[]
}

/** The newest blocks of a chain, with their receipts: so many, older ones are forgotten. */
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
