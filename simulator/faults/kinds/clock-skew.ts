import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export const clockSkew = faultKind({
  name: 'clock-skew',
  summary:
    'Tells times by a clock that is wrong: the `Date` header, when access sessions and tickets end, and a `Retry-After` that is a date.',
  options: z.strictObject({
    where: restWhereSchema,
    skewMs: z.int().min(-DAY_MS).max(DAY_MS).describe('How far it is ahead; below 0, behind'),
  }),
  start({ where, skewMs }, { decides }) {
    return {
      request: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref) ? { do: 'skew', ms: skewMs } : undefined,
    }
  },
})
