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
    const heldUntilMs = new Map<string, number>()
    return onEvents({
      where,
      tools,
      meet({ way, decides }) {
        const nowMs = tools.clock.nowMs()
        // The one that goes ahead.
        if (nowMs < (heldUntilMs.get(way) ?? 0)) {
          heldUntilMs.delete(way)
          return undefined
        }
        if (!decides()) return undefined
        heldUntilMs.set(way, nowMs + atMostMs)
        return { do: 'hold', atMostMs, resync }
      },
    })
  },
})
