import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesAny } from '../where.ts'

export const earlyExpiry = faultKind({
  name: 'early-expiry',
  summary:
    'Ends access sessions or tickets earlier than they are told to end: what is given from here on. A socket ends with its ticket.',
  breaks: 'An access session lasts 15 minutes and a ticket 60 seconds (Limits).',
  options: z.strictObject({
    what: z.enum(['access-session', 'ticket']),
    livesMs: z.int().min(0).max(3_600_000).describe('How long after it is given it ends'),
    where: z
      .strictObject({ addresses: z.array(z.string().min(1).max(200)).min(1).max(100).optional() })
      .prefault({})
      .describe('Wallets, as the exchange writes them; `*` stands for any text'),
  }),
  start({ what, livesMs, where: { addresses } }, { decides }) {
    return {
      lifetime: (seen) =>
        seen.what === what && (!addresses || matchesAny(addresses, seen.address)) && decides(seen.address)
          ? { livesMs }
          : undefined,
    }
  },
})
