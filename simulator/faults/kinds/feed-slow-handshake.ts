import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { upgradeWhereSchema } from '../feed-where.ts'
import { onUpgrades } from '../on-upgrades.ts'

/** The five seconds to authenticate begin with the opening, so they are not shorter for it. */
export const feedSlowHandshake = faultKind({
  name: 'feed-slow-handshake',
  summary: 'Answers upgrades late: the socket stays half open for a while.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('How late'),
  }),
  start: ({ where, delayMs }, tools) => onUpgrades({ where, tools, deed: { do: 'delay', ms: delayMs } }),
})
