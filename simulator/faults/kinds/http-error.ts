import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { refusalBodySchema, retryAfterSecondsSchema, toMs } from '../refusal-options.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

/** A status of the 4xx or 5xx, but for 429, which has a kind of its own: what was asked for has not been done. */
export const httpError = faultKind({
  name: 'http-error',
  summary:
    'Responds with a 4xx or 5xx instead of what was requested, which is not done; `http-429` is for 429.',
  options: z.strictObject({
    where: restWhereSchema,
    status: z
      .int()
      .min(400)
      .max(599)
      .refine((status) => status !== 429, 'expected another status than 429, which is the fault http-429')
      .default(503)
      .describe('Of the response; not 429'),
    retryAfterSeconds: retryAfterSecondsSchema,
    body: refusalBodySchema,
  }),
  start({ where, status, retryAfterSeconds, body }, { decides }) {
    const deed = {
      do: 'refuse',
      status,
      code: 'injected_fault',
      error: status < 500 ? 'the request was rejected' : 'the service is in trouble',
      retryAfterMs: toMs(retryAfterSeconds),
      body,
    } as const
    return { request: (seen) => (matchesRequest(where, seen) && decides(seen.ref) ? deed : undefined) }
  },
})
