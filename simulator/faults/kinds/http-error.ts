import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { refusalBodySchema, retryAfterSecondsSchema, toMs } from '../refusal-options.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

/** A status of the 5xx: what was asked for has not been done. */
export const httpError = faultKind({
  name: 'http-error',
  summary: 'Answers with a 5xx in place of what was asked for, which is not done.',
  options: z.strictObject({
    where: restWhereSchema,
    status: z.int().min(500).max(599).default(503).describe('Of the answer'),
    retryAfterSeconds: retryAfterSecondsSchema,
    body: refusalBodySchema,
  }),
  start({ where, status, retryAfterSeconds, body }, { decides }) {
    const deed = {
      do: 'refuse',
      status,
      code: 'injected_fault',
      error: 'the service is in trouble',
      retryAfterMs: toMs(retryAfterSeconds),
      body,
    } as const
    return { request: (seen) => (matchesRequest(where, seen) && decides(seen.ref) ? deed : undefined) }
  },
})
