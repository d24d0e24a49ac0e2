import { z } from 'zod'
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
  start({ where: { clients }, staleMs }, { decides, during, clock, world }) {
    let revision = world.views.protocolState().revision
    let before = revision
    let freshAtMs = 0
    let stop = () => {}
    during({
      begin() {
        revision = world.views.protocolState().revision
        stop = world.onBlock(() => {
          const now = world.views.protocolState().revision
          if (now === revision) return
          if (clock.nowMs() >= freshAtMs) before = revision
          revision = now
          freshAtMs = clock.nowMs() + staleMs
        })
      },
      end: () => stop(),
    })
    return {
      request: (seen) =>
        clock.nowMs() < freshAtMs && matchesRequest({ ...ROUTE, clients }, seen) && decides(seen.ref)
          ? { do: 'quote', revision: before }
          : undefined,
    }
  },
})
