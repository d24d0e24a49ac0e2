import { z } from 'zod'
import type { Timer } from '../../clock.ts'
import { faultKind } from '../fault-kind.ts'
import { clientsWhereSchema, matchesRequest } from '../where.ts'

const ROUTE = { routes: ['GET /route'] }

export const staleRoute = faultKind({
  name: 'stale-route',
  summary:
    'For a while after each change of the configuration, tells routes as of the revision before, as a cache would that nobody has emptied.',
  options: z.strictObject({
    where: clientsWhereSchema,
    staleMs: z.int().min(1).max(600_000).describe('How long after a change is indexed'),
  }),
  start({ where: { clients }, staleMs }, { decides, during, after, world }) {
    const now = () => world.views.protocolState().revision
    let last = now()
    /** What is told while it is not null. */
    let stale: { revision: number; until: Timer } | null = null
    let stop = () => {}
    during({
      begin() {
        last = now()
        stop = world.onBlock(() => {
          if (now() === last) return
          stale?.until.cancel()
          const until = after(staleMs, () => (stale = null))
          stale = { revision: stale?.revision ?? last, until }
          last = now()
        })
      },
      end: () => stop(),
    })
    return {
      request: (seen) =>
        stale && matchesRequest({ ...ROUTE, clients }, seen) && decides(seen.ref)
          ? { do: 'quote', revision: stale.revision }
          : undefined,
    }
  },
})
