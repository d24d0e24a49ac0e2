import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { drawLatencyMs, latencySchema } from '../latency.ts'
import type { SeenRequest } from '../seams.ts'
import { matchesRequest, REST_AT, restWhereSchema } from '../where.ts'

export const httpLatency = faultKind({
  name: 'http-latency',
  summary: 'Makes requests take longer, by the virtual clock.',
  options: z.strictObject({
    where: restWhereSchema,
    at: REST_AT,
    latency: latencySchema,
  }),
  start({ where, at, latency }, { decides, stream }) {
    const seam = (seen: SeenRequest) =>
      matchesRequest(where, seen) && decides(seen.ref)
        ? ({ do: 'delay', ms: drawLatencyMs(latency, stream) } as const)
        : undefined
    return at === 'request' ? { request: seam } : { answer: seam }
  },
})
