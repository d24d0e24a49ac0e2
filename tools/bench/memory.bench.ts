import { createClock } from '../../simulator/clock.ts'
import { countAppended, logLength } from '../../simulator/indexer/history/history-log.ts'
import { createRandom } from '../../simulator/random.ts'
import { createWorld, type World } from '../../simulator/world/world.ts'
import { loadWorldFixture, parseStartMs, worldNames } from '../../simulator/world-fixture.ts'
import { garbageCollector } from '../test/garbage-collector.ts'

/** Uses the first that exists; the busiest comes first. */
const WORLDS = ['volatile', 'calm']
const HOUR_MS = 3_600_000
const HOURS = 4

/**
 * Heap of a world after each of several hours of its own time. History reaches its limits, so growth slows down; the chain's own
 * accounts keep growing: addresses, positions, unclaimed outputs.
 */
export function benchMemory({ print }: { print: (line: string) => void }): void {
  const name = WORLDS.find((world) => worldNames().includes(world)) ?? 'tiny'
  const fixture = loadWorldFixture(name)
  const collectGarbage = garbageCollector()
  collectGarbage()
  const emptyMb = heapMb()
  const world = createWorld({
    fixture,
    seed: 7,
    random: createRandom(7),
    clock: createClock({ startMs: parseStartMs(fixture) }),
    accounts: [],
  })
  const blocksPerHour = Math.round(HOUR_MS / fixture.blockIntervalMs)
  print(
    `world ${name}, ${blocksPerHour.toLocaleString('en')} blocks per hour, heap beyond the empty program's:`,
  )
  let before = 0
  for (let hour = 0; hour <= HOURS; hour++) {
    if (hour > 0) world.mine(blocksPerHour)
    collectGarbage()
    const mb = heapMb() - emptyMb
    const added = hour === 0 ? '' : ` (${(mb - before).toFixed(1)} more)`
    print(`  after ${hour} h: ${mb.toFixed(1)} MB${added}: ${contents(world)}`)
    before = mb
  }
}

function contents(world: World): string {
  const { chain, index } = world.state()
  const pools = [...index.pools.values()]
  const trades = pools.reduce((sum, pool) => sum + logLength(pool.trades), 0)
  const candles = pools.reduce(
    (sum, pool) => sum + pool.candles.closed.reduce((closed, log) => closed + logLength(log), 0),
    0,
  )
  return [
    `swaps ${countAppended(index.swaps)}, kept ${logLength(index.swaps)}`,
    `trades kept ${trades}`,
    `candles ${candles}`,
    `pools ${pools.length}`,
    `positions ${index.positions.size}`,
    `outputs pending ${chain.pendingOutputs.size}`,
    `addresses ${index.balances.size}`,
  ].join(', ')
}

function heapMb(): number {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}
