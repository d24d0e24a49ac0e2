import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { upgradeWhereSchema } from '../feed-where.ts'
import { onUpgrades } from '../on-upgrades.ts'

export const feedResetHandshake = faultKind({
  name: 'feed-reset-handshake',
  summary: 'Cuts the connection in place of an answer to an upgrade.',
  options: z.strictObject({ where: upgradeWhereSchema }),
  start: ({ where }, tools) => onUpgrades({ where, tools, deed: { do: 'reset' } }),
})
