import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { eventOptions, onEvents } from '../on-events.ts'

/** A subscription that is lost on the server, and on nobody else. */
export const feedMuteRoom = faultKind({
  name: 'feed-mute-room',
  summary:
    'Mutes rooms, each from the first event on that it acts on: the socket stays open and answers, but no event of the room comes.',
  options: z.strictObject({
    where: eventOptions.where,
    muteMs: z
      .int()
      .min(1)
      .max(24 * 60 * 60 * 1000)
      .default(300_000)
      .describe('Events come again after so long, and at the latest when the fault’s time ends'),
  }),
  start({ where, muteMs }, tools) {
    const mute = new Set<string>()
    tools.during({ begin() {}, end: () => mute.clear() })
    return onEvents({
      where,
      tools,
      meet({ way, decides }) {
        if (mute.has(way)) return LOST
        if (!decides()) return undefined
        mute.add(way)
        tools.after(muteMs, () => mute.delete(way))
        return LOST
      },
    })
  },
})

const LOST = { do: 'send', afterMs: [], resync: false } as const
