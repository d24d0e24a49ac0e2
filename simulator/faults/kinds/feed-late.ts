import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { eventOptions, onEvents } from '../on-events.ts'

/** The feed falls behind REST; later events overtake those that are late. */
export const feedLate = faultKind({
  name: 'feed-late',
  summary: 'Sends events late: REST is ahead of the feed, and later events overtake them.',
  options: z.strictObject({
    ...eventOptions,
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('How late'),
  }),
  start: ({ where, resync, delayMs }, tools) =>
    onEvents({
      where,
      tools,
      meet: ({ decides }) => (decides() ? { do: 'send', afterMs: [delayMs], resync } : undefined),
    }),
})
