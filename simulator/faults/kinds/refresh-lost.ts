import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { clientsWhereSchema, isRefreshDone } from '../where.ts'

/** The client holds a refresh token that is used up, and does not know. */
export const refreshLost = faultKind({
  name: 'refresh-lost',
  summary: 'Loses the answer to a refresh that was done: the client never gets its new cookies.',
  options: z.strictObject({
    where: clientsWhereSchema,
    by: z
      .enum(['reset', 'hang'])
      .default('reset')
      .describe('The connection is cut, or stays open without an answer'),
  }),
  start({ where, by }, { decides }) {
    return {
      answer: (seen) => (isRefreshDone(where, seen) && decides(seen.ref) ? { do: by } : undefined),
    }
  },
})
