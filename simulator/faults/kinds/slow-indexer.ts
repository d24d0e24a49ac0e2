import { z } from 'zod'
import { BOUNDS } from '../../world/world-bounds.ts'
import { faultKind } from '../fault-kind.ts'

export const slowIndexer = faultKind({
  name: 'slow-indexer',
  summary: 'Has the indexer lag behind the chain: what clients read is old, and events come late.',
  options: z.strictObject({
    lag: z
      .union(
        [
          z.strictObject({ blocks: z.int().min(1).max(BOUNDS.lagBlocks.max) }),
          z.strictObject({ ms: z.int().min(1).max(BOUNDS.lagMs.max) }),
        ],
        { error: 'expected {"blocks": NUMBER} or {"ms": NUMBER}' },
      )
      .describe('How far: so many blocks, or so long after a block'),
  }),
  start({ lag }, { decides, during, world }) {
    const before = world.lag()
    during({
      begin() {
        if (decides('indexer')) world.setLag(lag)
      },
      end: () => world.setLag(before),
    })
    return {}
  },
})
