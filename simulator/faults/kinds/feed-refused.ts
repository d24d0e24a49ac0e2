import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { upgradeWhereSchema } from '../feed-where.ts'
import { onUpgrades } from '../on-upgrades.ts'

const TEXTS = { 429: 'too many connections', 503: 'the feed is in trouble' }

export const feedRefused = faultKind({
  name: 'feed-refused',
  summary: 'Answers upgrades with 503 or 429: no socket opens.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    status: z.literal([503, 429]).default(503).describe('Of the answer'),
    retryAfterSeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe('Of the `Retry-After` header; none if left out'),
  }),
  start: ({ where, status, retryAfterSeconds }, tools) =>
    onUpgrades({
      where,
      tools,
      deed: {
        do: 'answer',
        status,
        error: TEXTS[status],
        code: 'injected_fault',
        headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
      },
    }),
})
