import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { eventOptions, onEvents } from '../on-events.ts'

/** Delivery is at most once, and missed events are not replayed (specification, Events: Delivery). */
export const feedDrop = faultKind({
  name: 'feed-drop',
  summary: 'Drops events.',
  options: z.strictObject(eventOptions),
  start: ({ where, resync }, tools) =>
    onEvents({
      where,
      tools,
      meet: ({ decides }) => (decides() ? { do: 'send', afterMs: [], resync } : undefined),
    }),
})
