import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

/** A status of the 5xx with the error body of the interface: what was asked for has not been done. */
export const httpError = faultKind({
  name: 'http-error',
  summary: 'Answers with a 5xx in place of what was asked for, which is not done.',
  options: z.strictObject({
    where: restWhereSchema,
    status: z.int().min(500).max(599).default(503).describe('Of the answer'),
    retryAfterSeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe('Of the `Retry-After` header; none if left out'),
  }),
  start({ where, status, retryAfterSeconds }, { decides }) {
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    const body = JSON.stringify({ error: 'the service is in trouble', code: 'injected_fault' })
    return {
      request: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref)
          ? { do: 'answer', status, headers, body }
          : undefined,
    }
  },
})
