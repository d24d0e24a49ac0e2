import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { drawLatencyMs, latencySchema } from '../latency.ts'
import { clientsWhereSchema, isRefreshDone } from '../where.ts'

/** Those that come with the same cookie meanwhile have lost, and do not know yet what the winner got. */
export const refreshWindow = faultKind({
  name: 'refresh-window',
  summary:
    'Holds the answer to a refresh back, once that has replaced the refresh token: others have time to come with the old one and lose.',
  options: z.strictObject({ where: clientsWhereSchema, latency: latencySchema }),
  start({ where, latency }, { decides, stream }) {
    return {
      answer: (seen) =>
        isRefreshDone(where, seen) && decides(seen.ref)
          ? { do: 'delay', ms: drawLatencyMs(latency, stream) }
          : undefined,
    }
  },
})
