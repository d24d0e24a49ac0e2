/**
 * A replica of the world's index with the same blocks, later. It shows an earlier state of the primary, with that state's times,
 * so that reads from several replicas step back and forth.
 */
import type { Block } from '../chain/block.ts'
import { copyIndexer, type Indexer } from '../indexer/indexer.ts'
import type { Views } from '../indexer/views/views.ts'
import type { RandomStream } from '../random.ts'
import type { RecentBlocks } from './chain-node.ts'
import { createIndexQueue, type QueueState } from './index-queue.ts'
import type { World } from './world.ts'

export type Replica = {
  /** Live until `restart`, which replaces them. */
  views(): Views
  /** Rebuilds from the primary; call it after the world has been restored. */
  restart(): void
  stop(): void
}

/**
 * Shows each block `lagMs` after its time, if the primary has indexed it. At the start, and after a restart, it goes back as far
 * as the index journal and the kept blocks reach (REORG_DEPTH_MAX blocks): with a longer lag it stays there until the clock has
 * caught up.
 */
export function createReplica(options: {
  world: Pick<World, 'clock' | 'state' | 'follow'>
  blocks: Pick<RecentBlocks, 'all'>
  lagMs: number
}): Replica {
  const { world, blocks, lagMs } = options
  const { clock } = world
  let indexer: Indexer
  const state: QueueState = {
    chain: world.state().chain,
    waiting: [],
    held: false,
    lag: { ms: lagMs },
    reorged: 0,
  }
  const queue = createIndexQueue({
    state,
    clock,
    indexer: { index: (block) => indexer.index(block), undo: () => indexer.undo() },
    notify() {},
  })

  const restart = () => {
    indexer = copyIndexer({ state: world.state().index })
    state.reorged = 0
    state.waiting = takeOut(indexer, { blocks: blocks.all(), untilMs: clock.nowMs() - lagMs })
    queue.settle()
  }
  restart()
  const unfollow = world.follow(queue)

  return {
    views: () => indexer.views,
    restart,
    stop() {
      unfollow()
      state.waiting = []
      queue.settle()
    },
  }
}

/** Removes blocks newer than `untilMs` from an index; returns them, oldest first. */
function takeOut(indexer: Indexer, options: { blocks: readonly Block[]; untilMs: number }): Block[] {
  const known = new Map(options.blocks.map((block) => [block.hash, block]))
  const taken: Block[] = []
  const { journal } = indexer.state
  while (journal.blocks.length > 0 && indexer.state.head.timeMs > options.untilMs) {
    const block = known.get(indexer.state.head.hash)
    if (!block) break
    indexer.undo()
    taken.unshift(block)
  }
  return taken
}

export type Replicas = {
  add(lagMs: number): Replica
  restart(): void
}

export function createReplicas(options: Omit<Parameters<typeof createReplica>[0], 'lagMs'>): Replicas {
  const following = new Set<Replica>()
  return {
    add(lagMs) {
      const replica = createReplica({ ...options, lagMs })
      const added: Replica = {
        ...replica,
        stop() {
          following.delete(added)
          replica.stop()
        },
      }
      following.add(added)
      return added
    },
    restart() {
      for (const replica of following) replica.restart()
    },
  }
}

/**
 * Distributes reads over `count` replicas: returns the views of a random one each time. Their lags increase evenly up to `lagMs`.
 * Undefined without replicas.
 */
export function shareReads(
  replicas: Pick<Replicas, 'add'>,
  { count, lagMs, stream }: { count: number; lagMs: number; stream: Pick<RandomStream, 'pick'> },
): (() => Views) | undefined {
  const sharing = Array.from({ length: count }, (_, index) => replicas.add((lagMs * (index + 1)) / count))
  return count === 0 ? undefined : () => stream.pick(sharing).views()
}
