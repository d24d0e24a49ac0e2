/**
 * A replica of the world's index: it takes the same blocks, later. What it shows is what the primary showed some time ago,
 * the clock's time and the blocks' own, so that reads from several replicas step back and forth.
 */
import type { Block } from '../chain/block.ts'
import { copyIndexer, type Indexer } from '../indexer/indexer.ts'
import type { Views } from '../indexer/views/views.ts'
import type { RandomStream } from '../random.ts'
import type { RecentBlocks } from './chain-node.ts'
import { createIndexQueue, type QueueState } from './index-queue.ts'
import type { World } from './world.ts'

export type Replica = {
  /** Live: they move on with the clock. Others after `restart`. */
  views(): Views
  /** Starts again from what the primary knows; to be called once the world has been put back. */
  restart(): void
  /** Follows no more. */
  stop(): void
}

/**
 * Shows each block `lagMs` after its own time, if the primary has indexed it. At the start, and after a restart, it goes back as
 * far as the journal of the index and the blocks kept reach (REORG_DEPTH_MAX blocks): with a longer lag it stands there until
 * the clock has caught up.
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

/** Takes blocks out of an index that are newer than that; returns them, oldest first. */
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

/** All replicas of a world. */
export type Replicas = {
  /** One more, until it is stopped. */
  add(lagMs: number): Replica
  /** To be called once the world has been put back. */
  restart(): void
}

/** None yet. */
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
 * Shares reads out among so many replicas: gives the views of one, drawn anew each time. The first is the least behind, and the
 * last by all of `lagMs`. Undefined if there are none.
 */
export function shareReads(
  replicas: Pick<Replicas, 'add'>,
  { count, lagMs, stream }: { count: number; lagMs: number; stream: Pick<RandomStream, 'pick'> },
): (() => Views) | undefined {
  const sharing = Array.from({ length: count }, (_, index) => replicas.add((lagMs * (index + 1)) / count))
  return count === 0 ? undefined : () => stream.pick(sharing).views()
}
