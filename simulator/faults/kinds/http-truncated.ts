import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

export const httpTruncated = faultKind({
  name: 'http-truncated',
  summary:
    'Sends a part of the body that the head promises, and ends the connection; what was asked for has been done.',
  options: z.strictObject({
    where: restWhereSchema,
    keepPercent: z.int().min(0).max(99).default(50).describe('How much of the body comes'),
  }),
  start({ where, keepPercent }, { decides }) {
    return {
      answer: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref)
          ? { do: 'truncate', bytes: Math.floor((Buffer.byteLength(seen.body) * keepPercent) / 100) }
          : undefined,
    }
  },
})
