import { z } from 'zod'
import type { Replica } from '../../world/replica.ts'
import { faultKind } from '../fault-kind.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

export const staleRead = faultKind({
  name: 'stale-read',
  summary:
    'Responds at once, but with what was indexed some time ago, as a replica that is behind or a cache does. A `minimum_revision` that is newer is pending.',
  options: z.strictObject({
    where: restWhereSchema,
    behindMs: z.int().min(1).max(30_000).describe('How old the data are, by the time of their blocks'),
  }),
  start({ where, behindMs }, { decides, during, follow }) {
    let replica: Replica | undefined
    during({
      begin() {
        replica = follow(behindMs)
      },
      end() {
        replica?.stop()
        replica = undefined
      },
    })
    return {
      request: (seen) =>
        replica && matchesRequest(where, seen) && decides(seen.ref)
          ? { do: 'read', views: replica.views() }
          : undefined,
    }
  },
})
