import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { eventOptions, onEvents } from '../on-events.ts'

export const feedDuplicate = faultKind({
  name: 'feed-duplicate',
  summary: 'Sends events twice.',
  breaks: 'Delivery is at most once (Events: Delivery).',
  options: z.strictObject({
    ...eventOptions,
    againAfterMs: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(0)
      .describe('How long after the first the second comes'),
  }),
  start: ({ where, resync, againAfterMs }, tools) =>
    onEvents({
      where,
      tools,
      meet: ({ decides }) => (decides() ? { do: 'send', afterMs: [0, againAfterMs], resync } : undefined),
    }),
})
