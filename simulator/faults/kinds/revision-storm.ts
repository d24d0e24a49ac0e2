import { z } from 'zod'
import { CONFIG_SCOPES } from '../../chain/transaction.ts'
import { faultKind } from '../fault-kind.ts'
import { repeat } from '../repeat.ts'

export const revisionStorm = faultKind({
  name: 'revision-storm',
  summary: 'Changes the configuration again and again, each time in the next block: revisions come fast.',
  options: z.strictObject({
    everyMs: z.int().min(1).max(3_600_000).describe('From one change to the next; the first comes at once'),
    change: z
      .strictObject({ scope: z.enum(CONFIG_SCOPES), key: z.string().min(1).max(512) })
      .default({ scope: 'fee_tiers', key: 'storm' })
      .describe('As `POST /revision` of the control API takes it; by default one that changes nothing else'),
  }),
  start({ everyMs, change }, tools) {
    repeat(everyMs, () => tools.decides('configuration') && tools.world.changeConfig(change), tools)
    return {}
  },
})
