import type { Block } from '../chain/block.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { createWorld, type World } from '../world/world.ts'
import { loadWorldFixture, parseStartMs } from '../world-fixture.ts'
import { buildBook, type Evidence } from './book.ts'
import { checkInvariants } from './invariants.ts'

export type WatchedWorld = {
  world: World
  evidence(): Evidence
  violations: readonly string[]
  checks(): number
}

/** A world with its history, and the violations found on the way, with a check at this interval. */
export function watchedWorld(options: { world: string; seed: number; everyBlocks: number }): WatchedWorld {
  const { seed, everyBlocks } = options
  const fixture = loadWorldFixture(options.world)
  const blocks: Block[] = []
  const violations: string[] = []
  let checks = 0
  const world = createWorld({
    fixture,
    seed,
    random: createRandom(seed),
    clock: createClock({ startMs: parseStartMs(fixture) }),
    accounts: ['bw1one'],
    onMined(block, { chain, index }) {
      blocks.length = block.height
      blocks.push(block)
      if (block.height % everyBlocks !== 0) return
      checks++
      violations.push(...checkInvariants({ chain, index, book: buildBook(blocks) }))
    },
  })
  return {
    world,
    evidence: () => ({ ...world.state(), book: buildBook(blocks) }),
    violations,
    checks: () => checks,
  }
}
