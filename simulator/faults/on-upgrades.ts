import type { z } from 'zod'
import type { FaultTools } from './fault-kind.ts'
import type { UpgradeDeed } from './feed-seams.ts'
import type { upgradeWhereSchema } from './feed-where.ts'
import type { Seams } from './seams.ts'
import { matchesAny } from './where.ts'

/** Does the same to each upgrade that it acts on. */
export function onUpgrades(options: {
  where: z.output<typeof upgradeWhereSchema>
  tools: Pick<FaultTools, 'decides'>
  deed: UpgradeDeed
}): Partial<Seams> {
  const { where, tools, deed } = options
  return {
    upgrade: ({ number, userAgent }) =>
      (where.userAgents === undefined || matchesAny(where.userAgents, userAgent)) &&
      tools.decides(`upgrade ${number}`)
        ? deed
        : undefined,
  }
}
