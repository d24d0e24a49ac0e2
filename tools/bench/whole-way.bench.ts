import { spread } from './measuring.ts'
import { openWorld } from './open-world.ts'

const ROUNDS = 5
const WORLDS = ['calm', 'volatile']
const SWAPS = 30_000
const BLOCKS_PER_STEP = 20

/**
 * Swaps per second on one core end to end: agents send them, a block executes and seals them, the indexer folds them into all
 * views, along with the blocks' other contents. Each round continues from a world's start, which is not counted.
 */
export function benchWholeWay({ print }: { print: (line: string) => void }): void {
  print(`swaps/s, medians of ${ROUNDS} rounds of ${SWAPS.toLocaleString('en')} swaps (minimum to maximum):`)
  for (const name of WORLDS) {
    const rounds = Array.from({ length: ROUNDS + 1 }, () => swapsPerSecond(name)).slice(1)
    print(`  ${name}: ${spread(rounds)} (target 40,000)`)
  }
}

function swapsPerSecond(name: string): number {
  const chain = openSwapChain(name)
  const startMs = performance.now()
  const swaps = chain.mineSwaps(SWAPS)
  return (swaps / (performance.now() - startMs)) * 1000
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
