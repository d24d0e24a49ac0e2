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
  mineAt(timeMs: number): void
  /** Mines that many blocks, advancing the clock by the interval for each. */
  mine(blocks: number): void
  /** Submits for the next block. With mining on demand, mines it now, or after the block in progress. */
  submit(transaction: Transaction): void
  /** Number of the sender's transactions that wait to be mined, including those of a reorg. */
  countWaiting(sender: string): number
  setMining(mining: Mining): void
  reorg(depth: number): void
  start(): void
  stop(): void
  /** Call when the state has been restored: the next block keeps its due time. */
  rearm(): void
}

/** Mines the blocks of a world, by the clock or on request. */
export function createMiner(options: {
  state: WorldState
  clock: Clock
  agents: Pick<Agents, 'act' | 'foundingBlocks' | 'people'>
  queue: IndexQueue
  /** Distributes the transactions of a reorganized branch. */
  stream: RandomStream
  /** For blocks mined on request, if mining has no interval. */
  intervalMs: number
  onMined: (block: Block) => void
}): Miner {
  const { state, clock, agents, queue, onMined } = options
  let running = false
  let timer: Timer | undefined
  /** True while a block is being mined: its listeners may submit. */
  let isMining = false
  /** Blocks of a reorg yet to be mined. */
  let branch: readonly MinedBlock[] = []

  const mineTransactions = (made: MinedBlock): void => {
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
    mineTransactions({ timeMs, submitted: takeSubmitted(), drawn })
    mineSubmitted()
  }
  /** With mining on demand: mines what was submitted, including by listeners along the way. */
  const mineSubmitted = (): void => {
    while (state.mining.mode === 'on-demand' && !isMining) {
      const transaction = state.mempool.shift()
      if (!transaction) return
      mineTransactions({ timeMs: clock.nowMs(), submitted: [transaction], drawn: [] })
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
  /** Starts a full interval now. */
  const arm = (): void => {
    disarm()
    state.nextBlockAtMs = null
    const { mining } = state
    if (running && mining.mode === 'interval') armAt(clock.nowMs() + mining.intervalMs)
  }

  /** Also armed while stopped: once it is due, nothing remains to resume. */
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
        // The timer would fall due within the interval and mine another block.
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
        // Governance reverts its changes with the same toggles: if one of the pair is dropped or late, pairs would stay barred.
        keeps: ({ sender }) => sender === agents.people.administrator,
      })
      // Ahead of transactions that listeners submit.
      state.mempool.unshift(...left)
      for (const [place, made] of blocks.entries()) {
        branch = blocks.slice(place + 1)
        mineTransactions(made)
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
    `cannot reorganize ${depth} blocks: the maximum is ${Math.max(0, depthMax)}`,
    {
      hint: `The last ${REORG_DEPTH_MAX} blocks are kept, and founding blocks are permanent. Mine more blocks, or use a smaller depth.`,
    },
  )
}

/** Shares of a branch's transactions that are dropped, and that move to the next block. */
const DROPPED_SHARE = 0.1
const LATE_SHARE = 0.25

type Reordered = {
  /** As many as the branch had, at its times. */
  blocks: readonly MinedBlock[]
  /** Submitted transactions that are too late for the last block. */
  left: readonly Transaction[]
}

/**
 * Distributes a branch's transactions over its replacement blocks. Those selected by `keeps` stay. Submitted ones are never
 * dropped; the agents' may be, and are if they would follow the last block. The first movable transaction is always late, so that
 * the blocks differ from the branch; a branch without movable ones stays the same.
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
