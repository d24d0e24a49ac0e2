import type { Block } from '../chain/block.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Indexer } from '../indexer/indexer.ts'
import type { BlockUpdate } from '../indexer/views/views.ts'
import type { WorldState } from './world-state.ts'

export type IndexQueue = {
  add(block: Block): void
  /** Reverts the newest block: removes it from the queue, or from the index once its replacement is indexed. */
  takeBack(): void
  /** Indexes all blocks that are due; call it when lag or hold changed, or the state was restored. */
  settle(): void
}

export type QueueState = Pick<WorldState, 'waiting' | 'held' | 'lag' | 'reorged'> & {
  readonly chain: { readonly height: number }
}

/** Queues blocks for the indexer while it is held, and until they are as old as the lag requires. */
export function createIndexQueue(options: {
  state: QueueState
  clock: Clock
  indexer: Pick<Indexer, 'index' | 'undo'>
  notify: (update: BlockUpdate) => void
}): IndexQueue {
  const { state, clock, indexer, notify } = options
  let timer: Timer | undefined
  /** Listeners may mine: blocks that they add wait until all listeners have received the current one. */
  let isSettling = false

  /** null if the lag is a number of blocks. */
  const getWaitMs = ({ height, timeMs }: Block): number | null => {
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
      const waitMs = block ? getWaitMs(block) : null
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
      // Reads do not change until there is a replacement, and an update that announces it.
      if (!state.waiting.pop()) state.reorged++
    },
    settle,
  }
}
