import { z } from 'zod'
import { REORG_DEPTH_MAX } from '../../journal.ts'
import { WorldError } from '../../world/world-error.ts'
import { type FaultyWorld, faultKind } from '../fault-kind.ts'
import { repeat } from '../repeat.ts'

export const reorg = faultKind({
  name: 'reorg',
  summary: 'Takes the last blocks back and mines others in their place, from the same transactions.',
  options: z.strictObject({
    depth: z
      .int()
      .min(1)
      .max(REORG_DEPTH_MAX)
      .describe('Blocks; a chain that is not so long yet is left alone'),
    everyMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(60_000)
      .describe('From one to the next; the first comes at once'),
  }),
  start({ depth, everyMs }, tools) {
    repeat(everyMs, () => tools.decides('chain') && takeBack(tools.world, depth), tools)
    return {}
  },
})

function takeBack(world: FaultyWorld, depth: number): void {
  try {
    world.reorg(depth)
  } catch (error) {
    if (!(error instanceof WorldError && error.code === 'reorg_too_deep')) throw error
  }
}
