import type { Block } from '../chain/block.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Indexer } from '../indexer/indexer.ts'
import type { BlockUpdate } from '../indexer/views/views.ts'
import type { WorldState } from './world-state.ts'

export type IndexQueue = {
  add(block: Block): void
  /** The newest block comes to nothing: it leaves the queue, or the index once the block that replaces it is indexed. */
  takeBack(): void
  /** Indexes what may be; to be called when lag or hold have changed, or the state has been put back. */
  settle(): void
}

/** What a queue goes by: of the world, or of a replica of its index. */
export type QueueState = Pick<WorldState, 'waiting' | 'held' | 'lag' | 'reorged'> & {
  readonly chain: { readonly height: number }
}

/** Blocks on their way to the indexer: they wait while it is held, and until they are as old as the lag asks. */
export function createIndexQueue(options: {
  state: QueueState
  clock: Clock
  indexer: Pick<Indexer, 'index' | 'undo'>
  notify: (update: BlockUpdate) => void
}): IndexQueue {
  const { state, clock, indexer, notify } = options
  let timer: Timer | undefined
  /** Listeners may mine: what they add waits until all have heard of the block before. */
  let isSettling = false

  /** Null where it is a number of blocks that it waits for. */
  const waitMsOf = ({ height, timeMs }: Block): number | null => {
    const { lag, chain } = state
    if ('ms' in lag) return timeMs + lag.ms - clock.nowMs()
    return height + lag.blocks <= chain.height ? 0 : null
  }
  const index = (block: Block): void => {
    const { reorged } = state
    for (let undone = 0; undone < reorged; undone++) indexer.undo()
    state.reorged = 0
    const update = indexer.index(block)
    notify(reorged === 0 ? update : { ...update, reorged })
  }
  const settle = (): void => {
    if (isSettling) return
    isSettling = true
    try {
      indexWhatMayBe()
    } finally {
      isSettling = false
    }
  }
  const indexWhatMayBe = (): void => {
    timer?.cancel()
    timer = undefined
    while (!state.held) {
      const [block] = state.waiting
      const waitMs = block ? waitMsOf(block) : null
      if (!block || waitMs === null) return
      if (waitMs > 0) {
        timer = clock.after(waitMs, settle)
        return
      }
      state.waiting.shift()
      index(block)
    }
  }

  return {
    add(block) {
      state.waiting.push(block)
      settle()
    },
    takeBack() {
      // What readers see stands still until there is something in its place, and an update to tell them so.
      if (!state.waiting.pop()) state.reorged++
    },
    settle,
  }
}
