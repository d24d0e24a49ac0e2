import { resolve } from 'node:path'
import type { Block } from '../../simulator/chain/block.ts'
import { createClock } from '../../simulator/clock.ts'
import { createRandom } from '../../simulator/random.ts'
import { createWorld, loadWorld, type World, type WorldState } from '../../simulator/world/world.ts'
import { loadWorldFixture, startMsOf } from '../../simulator/world-fixture.ts'
import { readDumpFile } from '../read-dump-file.ts'

export type WorldSource = {
  cwd: string
  world: string
  seed: number
  /** A dump, in place of world and seed. */
  load?: string
}

/**
 * The world with its history, or as it was dumped; `onMined` hears of the history too. Throws a BreakwaterError (usage) for
 * an unknown or wrong world, and for a file that is no dump.
 */
export function openWorld(
  { cwd, world: name, seed, load }: WorldSource,
  onMined: (block: Block, state: WorldState) => void,
): { world: World; seed: number } {
  if (load !== undefined) {
    const { world, origin } = loadWorld({
      dump: readDumpFile(resolve(cwd, load), load),
      source: load,
      onMined,
    })
    return { world, seed: origin.seed }
  }
  const fixture = loadWorldFixture(name)
  const clock = createClock({ startMs: startMsOf(fixture) })
  const world = createWorld({ fixture, seed, random: createRandom(seed), clock, accounts: [], onMined })
  return { world, seed }
}
