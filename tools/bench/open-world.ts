import type { Block } from '../../simulator/chain/block.ts'
import { createClock } from '../../simulator/clock.ts'
import { createRandom } from '../../simulator/random.ts'
import { createWorld, type World } from '../../simulator/world/world.ts'
import { loadWorldFixture, parseStartMs } from '../../simulator/world-fixture.ts'

export function openWorld(name: string, onMined?: (block: Block) => void): World {
  const fixture = loadWorldFixture(name)
  return createWorld({
    fixture,
    seed: 7,
    random: createRandom(7),
    clock: createClock({ startMs: parseStartMs(fixture) }),
    accounts: [],
    ...(onMined && { onMined }),
  })
}
