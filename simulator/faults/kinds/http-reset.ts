import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import type { SeenRequest } from '../seams.ts'
import { matchesRequest, REST_AT, restWhereSchema } from '../where.ts'

export const httpReset = faultKind({
  name: 'http-reset',
  summary: 'Cuts the connection (RST), and nothing is answered.',
  options: z.strictObject({ where: restWhereSchema, at: REST_AT }),
  start({ where, at }, { decides }) {
    const seam = (seen: SeenRequest) =>
      matchesRequest(where, seen) && decides(seen.ref) ? ({ do: 'reset' } as const) : undefined
    return at === 'request' ? { request: seam } : { answer: seam }
  },
})
