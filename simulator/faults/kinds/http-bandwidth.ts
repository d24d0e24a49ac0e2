import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

export const httpBandwidth = faultKind({
  name: 'http-bandwidth',
  summary: 'Sends the bodies of answers in small pieces, as over a thin line, by the virtual clock.',
  options: z.strictObject({
    where: restWhereSchema,
    bytesPerSecond: z.int().min(1).max(1_000_000_000).describe('Of each answer, whatever others take'),
  }),
  start({ where, bytesPerSecond }, { decides }) {
    return {
      answer: (seen) =>
        matchesRequest(where, seen) && decides(seen.ref) ? { do: 'trickle', bytesPerSecond } : undefined,
    }
  },
})
