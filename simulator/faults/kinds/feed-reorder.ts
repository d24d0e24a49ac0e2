import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { eventOptions, onEvents } from '../on-events.ts'

export const feedReorder = faultKind({
  name: 'feed-reorder',
  summary: 'Sends events behind the next one of their room.',
  options: z.strictObject({
    ...eventOptions,
    atMostMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(5000)
      .describe('An event goes out after so long, if none has come to go ahead of it'),
  }),
  start({ where, resync, atMostMs }, tools) {
    /** Of each way, what is held there. */
    const held = new Map<string, object>()
    return onEvents({
      where,
      tools,
      meet({ way, decides }) {
        const goesAhead = held.delete(way)
        if (goesAhead || !decides()) return undefined
        const deed = { do: 'hold', atMostMs, resync } as const
        held.set(way, deed)
        tools.after(atMostMs, () => {
          if (held.get(way) === deed) held.delete(way)
        })
        return deed
      },
    })
  },
})
