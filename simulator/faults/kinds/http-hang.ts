import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import type { SeenRequest } from '../seams.ts'
import { matchesRequest, REST_AT, restWhereSchema } from '../where.ts'

export const httpHang = faultKind({
  name: 'http-hang',
  summary: 'Answers nothing at all, and keeps the connection open until the client gives up.',
  options: z.strictObject({ where: restWhereSchema, at: REST_AT }),
  start({ where, at }, { decides }) {
    const seam = (seen: SeenRequest) =>
      matchesRequest(where, seen) && decides(seen.ref) ? ({ do: 'hang' } as const) : undefined
    return at === 'request' ? { request: seam } : { answer: seam }
  },
})
