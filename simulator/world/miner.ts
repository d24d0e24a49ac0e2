import type { Agents } from '../agents/agents.ts'
import type { Block } from '../chain/block.ts'
import { mineBlock, undoLastBlock } from '../chain/chain.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { Clock, Timer } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import { REORG_DEPTH_MAX } from '../undo-log.ts'
import type { IndexQueue } from './index-queue.ts'
import { type MinedBlock, type Mining, WorldError, type WorldState } from './world-state.ts'

export type Miner = {
  /** A block of what was submitted and of what the agents draw. */
  mineAt(timeMs: number): void
  /** So many blocks, an interval apart, by moving the clock on. */
  mine(blocks: number): void
  /** For the next block. Where mining is on demand that comes now, or after the one that is being made. */
  submit(transaction: Transaction): void
  /** How many transactions of the sender's will be mined, of those that were sent. */
  countWaiting(sender: string): number
  setMining(mining: Mining): void
  reorg(depth: number): void
  start(): void
  stop(): void
  /** To be called when the state has been put back: the next block comes when it would have come. */
  rearm(): void
}

/** Makes the blocks of a world, by the clock or when told. */
export function createMiner(options: {
  state: WorldState
  clock: Clock
  agents: Pick<Agents, 'act' | 'foundingBlocks' | 'people'>
  queue: IndexQueue
  /** Deals the transactions of a reorganized branch. */
  stream: RandomStream
  /** Between blocks that are mined when told, where mining has no interval. */
  intervalMs: number
  onMined: (block: Block) => void
}): Miner {
  const { state, clock, agents, queue, onMined } = options
  let running = false
  let timer: Timer | undefined
  /** Whether a block is being made: listeners hear of it meanwhile, and may submit. */
  let isMining = false
  /** Of a reorg, yet to be mined. */
  let branch: readonly MinedBlock[] = []

  const mineBlockOf = (made: MinedBlock): void => {
    const wasMining = isMining
    isMining = true
    try {
      const block = mineBlock(state.chain, [...made.submitted, ...made.drawn], made.timeMs)
      state.recent.push(made)
      if (state.recent.length > REORG_DEPTH_MAX) state.recent.shift()
      queue.add(block)
      onMined(block)
    } finally {
      isMining = wasMining
    }
  }
  const takeSubmitted = (): Transaction[] => {
    const submitted = state.mempool
    state.mempool = []
    return submitted
  }
  const mineAt = (timeMs: number): void => {
    const drawn = agents.act(state.chain, timeMs - state.chain.timeMs)
    mineBlockOf({ timeMs, submitted: takeSubmitted(), drawn })
    mineSubmitted()
  }
  /** What was submitted is mined now, where mining is on demand, and with it what listeners submit on the way. */
  const mineSubmitted = (): void => {
    while (state.mining.mode === 'on-demand' && !isMining) {
      const transaction = state.mempool.shift()
      if (!transaction) return
      mineBlockOf({ timeMs: clock.nowMs(), submitted: [transaction], drawn: [] })
    }
  }
  const disarm = (): void => {
    timer?.cancel()
    timer = undefined
  }
  const armAt = (dueMs: number): void => {
    state.nextBlockAtMs = dueMs
    timer = clock.after(dueMs - clock.nowMs(), () => {
      arm()
      if (running) mineAt(clock.nowMs())
    })
  }
  /** From now: a whole interval. */
  const arm = (): void => {
    disarm()
    state.nextBlockAtMs = null
    const { mining } = state
    if (running && mining.mode === 'interval') armAt(clock.nowMs() + mining.intervalMs)
  }

  /** Armed also while stopped: once it has fallen due, there is nothing left to go on with. */
  const rearm = (): void => {
    disarm()
    const { nextBlockAtMs } = state
    if (nextBlockAtMs === null) arm()
    else armAt(nextBlockAtMs)
  }

  return {
    mineAt,
    submit(transaction) {
      state.mempool.push(transaction)
      mineSubmitted()
    },
    countWaiting(sender) {
      const lists = [...branch.flatMap(({ submitted, drawn }) => [submitted, drawn]), state.mempool]
      const countIn = (sent: readonly Transaction[]) => sent.filter((one) => one.sender === sender).length
      return lists.reduce((count, sent) => count + countIn(sent), 0)
    },
    mine(blocks) {
      const { mining } = state
      const intervalMs = mining.mode === 'interval' ? mining.intervalMs : options.intervalMs
      for (let mined = 0; mined < blocks; mined++) {
        // The timer would fall due within the interval and mine a block of its own.
        disarm()
        clock.advance(intervalMs)
        mineAt(clock.nowMs())
        arm()
      }
    },
    setMining(mining) {
      state.mining = mining
      arm()
      mineSubmitted()
    },
    reorg(depth) {
      requireDepth(depth, Math.min(state.recent.length, state.chain.height + 1 - agents.foundingBlocks))
      const undoneBlocks = state.recent.splice(-depth)
      for (let undone = 0; undone < depth; undone++) {
        undoLastBlock(state.chain)
        queue.takeBack()
      }
      const { blocks, left } = reorder(undoneBlocks, {
        stream: options.stream,
        // Governance takes back what it did, by the same switches: half of that, lost or late, would bar pairs for ever.
        keeps: ({ sender }) => sender === agents.people.administrator,
      })
      // Ahead of what listeners submit on the way.
      state.mempool.unshift(...left)
      for (const [place, made] of blocks.entries()) {
        branch = blocks.slice(place + 1)
        mineBlockOf(made)
      }
      mineSubmitted()
    },
    start() {
      if (running) return
      running = true
      if (state.nextBlockAtMs === null) arm()
    },
    stop() {
      running = false
      arm()
    },
    rearm,
  }
}

function requireDepth(depth: number, depthMax: number): void {
  if (depth <= depthMax) return
  throw new WorldError(
    'reorg_too_deep',
    `a reorg of ${depth} blocks: at most ${Math.max(0, depthMax)} can be taken back`,
    {
      hint: `The last ${REORG_DEPTH_MAX} blocks are kept, and those that founded the world stay. Mine more, or go less deep.`,
    },
  )
}

/** Of a branch's transactions, how many do not come into the blocks that replace it, and how many a block later. */
const DROPPED_SHARE = 0.1
const LATE_SHARE = 0.25

type Reordered = {
  /** As many as the branch had, at its times. */
  blocks: readonly MinedBlock[]
  /** Submitted, and too late for the last of them. */
  left: readonly Transaction[]
}

/**
 * Deals a branch's transactions over the blocks that replace it. Those that `keeps` names stay where they were. What was
 * submitted is never dropped; the agents' may be, and are where they would come after the last block. The first of these
 * comes late: so the blocks differ from the branch, unless it had none of them, and comes back as it was.
 */
export function reorder(
  branch: readonly MinedBlock[],
  { stream, keeps }: { stream: RandomStream; keeps: (transaction: Transaction) => boolean },
): Reordered {
  let late: Dealt = nothing()
  let isFirst = true
  const fate = (transaction: Transaction): Fate => {
    if (keeps(transaction)) return 'stays'
    const drawn = stream.float()
    if (isFirst || drawn < LATE_SHARE) {
      isFirst = false
      return 'late'
    }
    return drawn < LATE_SHARE + DROPPED_SHARE ? 'dropped' : 'stays'
  }
  const blocks = branch.map(({ timeMs, submitted, drawn }) => {
    const here = late
    late = nothing()
    for (const transaction of submitted)
      (fate(transaction) === 'late' ? late : here).submitted.push(transaction)
    for (const transaction of drawn) {
      const dealt = fate(transaction)
      if (dealt !== 'dropped') (dealt === 'late' ? late : here).drawn.push(transaction)
    }
    return { timeMs, ...here }
  })
  return { blocks, left: late.submitted }
}

type Fate = 'stays' | 'late' | 'dropped'
type Dealt = { submitted: Transaction[]; drawn: Transaction[] }

function nothing(): Dealt {
  return { submitted: [], drawn: [] }
}
