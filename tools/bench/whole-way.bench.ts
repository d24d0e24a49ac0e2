import { hash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { Pool } from '../../simulator/amm/pool.ts'
import { applySwap, computeSwap } from '../../simulator/amm/swap.ts'
import { type Block, blockText } from '../../simulator/chain/block.ts'
import { canonicalText } from '../../simulator/chain/canonical-text.ts'
import { spread } from './measuring.ts'
import { openWorld } from './open-world.ts'

const ROUNDS = 5
const WORLDS = ['calm', 'volatile']
const SWAPS = 30_000
const BLOCKS_PER_STEP = 20
/** Records that the limit keeps: as many as the index keeps swaps. */
const KEPT = 50_000

/**
 * Swaps per second on one core end to end: agents send them, a block executes and seals them, the indexer folds them into all
 * views, along with the blocks' other contents. Each round continues from a world's start, which is not counted. In turns, a
 * minimal program makes the same swaps.
 */
export function benchWholeWay({ print }: { print: (line: string) => void }): void {
  print(`swaps/s, medians of ${ROUNDS} rounds of ${SWAPS.toLocaleString('en')} swaps (minimum to maximum):`)
  for (const name of WORLDS) {
    const work = recordWork(name)
    const rounds = Array.from({ length: ROUNDS + 1 }, () => ({
      chain: measure(() => openSwapChain(name).mineSwaps),
      limit: measure(() => prepareLimit(work)),
    })).slice(1)
    const of = (figure: (round: (typeof rounds)[number]) => number) => spread(rounds.map(figure))
    const { swaps, orders, events, bytes } = work
    print(
      `  ${name}: ${of(({ chain }) => chain.perSecond)} (target 40,000), CPU per swap ${of(({ chain }) => chain.cpuUs)} µs`,
    )
    print(`    limit: ${of(({ limit }) => limit.perSecond)}, CPU ${of(({ limit }) => limit.cpuUs)} µs`)
    print(
      `    ratio ${of(({ chain, limit }) => chain.perSecond / limit.perSecond)}, by CPU ${of(({ chain, limit }) => limit.cpuUs / chain.cpuUs)}`,
    )
    print(
      `    per swap ${(orders.length / swaps).toFixed(2)} hops, ${(bytes / swaps).toFixed(0)} bytes hashed, ${(events / swaps).toFixed(1)} events`,
    )
  }
}

/** By wall clock, and by processor time, to which other work on the machine adds little. */
function measure(prepare: () => (count: number) => number): { perSecond: number; cpuUs: number } {
  const makeSwaps = prepare()
  const [startMs, before] = [performance.now(), process.cpuUsage()]
  const swaps = makeSwaps(SWAPS)
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (swaps / (performance.now() - startMs)) * 1000, cpuUs: (user + system) / swaps }
}

export function openSwapChain(name: string) {
  let swaps = 0
  const world = openWorld(name, ({ receipts }) => {
    for (const { kind, refused } of receipts) if (kind === 'swap' && refused === null) swaps += 1
  })
  return {
    /** Mines whole blocks until there are at least `count` swaps; returns their number. */
    mineSwaps(count: number): number {
      swaps = 0
      while (swaps < count) world.mine(BLOCKS_PER_STEP)
      return swaps
    },
  }
}

type Hop = { pool: string; zeroForOne: boolean; amountIn: bigint; timeS: number }

/** The swaps of a round, and what else the chain cannot leave out for them. */
type Work = { pools: Buffer; swaps: number; orders: Hop[]; events: number; bytes: number }

/** A world with the same seed makes the same blocks, so recording does not slow down a round. */
function recordWork(name: string): Work {
  let blocks: Block[] = []
  const world = openWorld(name, (block) => void blocks.push(block))
  const { pools: chainPools } = world.state().chain
  const pools = serialize(new Map([...chainPools].map(([key, { amm }]) => [key, amm])))
  const work: Work = { pools, swaps: 0, orders: [], events: 0, bytes: 0 }
  for (blocks = []; work.swaps < SWAPS; blocks = []) {
    world.mine(BLOCKS_PER_STEP)
    for (const block of blocks) addWork(work, block)
  }
  return work
}

function addWork(work: Work, block: Block): void {
  work.bytes += canonicalText(blockText, block).length
  const timeS = Math.floor(block.timeMs / 1000)
  for (const event of block.receipts.flatMap(({ events }) => events)) {
    work.events += 1
    if (event.kind !== 'swapExecuted') continue
    work.swaps += 1
    for (const { pool, zeroForOne, amountIn } of event.hops)
      work.orders.push({ pool, zeroForOne, amountIn, timeS })
  }
}

/**
 * The limit: the AMM's computation of each hop on the same pools, one hash per swap over as many bytes as the blocks have per swap,
 * and one record per event in a ring. No agents, balances, other transactions, views or undo log.
 */
function prepareLimit({ pools: saved, swaps, orders, events, bytes }: Work): () => number {
  const pools = deserialize(saved) as Map<string, Pool> // as: recordWork serialized it
  const text = Buffer.alloc(Math.round(bytes / swaps), 'x')
  const [hopsPerSwap, eventsPerSwap] = [orders.length / swaps, events / swaps]
  const ring: object[] = Array.from({ length: KEPT }, () => ({}))
  return () => {
    let hops = 0
    let records = 0
    for (let swap = 1; swap <= swaps; swap++) {
      for (; hops < swap * hopsPerSwap; hops++) makeHop(pools, orders[hops])
      const digest = hash('sha256', text)
      for (; records < swap * eventsPerSwap; records++) ring[records % KEPT] = { swap, digest }
    }
    return swaps
  }
}

/** Positions do not change here, and pools that were created later are absent, so a few hops cannot be made. */
function makeHop(pools: ReadonlyMap<string, Pool>, hop: Hop | undefined): void {
  const pool = hop && pools.get(hop.pool)
  if (!pool) return
  const { zeroForOne, amountIn, timeS } = hop
  applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: amountIn }), timeS)
}
