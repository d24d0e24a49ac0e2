import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { upgradeWhereSchema } from '../feed-where.ts'
import { onUpgrades } from '../on-upgrades.ts'

export const feedHungHandshake = faultKind({
  name: 'feed-hung-handshake',
  summary: 'Leaves upgrades without an answer, and cuts the connection in the end.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    hangMs: z.int().min(1).max(3_600_000).default(60_000).describe('When it is cut'),
  }),
  start: ({ where, hangMs }, tools) => onUpgrades({ where, tools, deed: { do: 'hang', ms: hangMs } }),
})
