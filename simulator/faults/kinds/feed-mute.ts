import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { onSockets, scheduleOptions } from '../on-sockets.ts'

/** A socket that stays open, without an error, and without any data. */
export const feedMute = faultKind({
  name: 'feed-mute',
  summary:
    'Mutes open sockets, as a network does that has died unnoticed: no event, control, pong or close frame comes any more. In the end they are cut.',
  options: z.strictObject({
    ...scheduleOptions,
    muteMs: z
      .int()
      .min(1)
      .max(24 * 60 * 60 * 1000)
      .default(300_000)
      .describe('The socket is cut after so long, and at the latest when the fault’s time ends'),
  }),
  start({ muteMs, ...schedule }, tools) {
    const { feed } = tools
    const mute = new Set<number>()
    const cut = (id: number) => {
      if (mute.delete(id)) feed.cut(id)
    }
    onSockets({
      schedule,
      tools,
      act(id) {
        mute.add(id)
        feed.mute(id)
        tools.after(muteMs, () => cut(id))
      },
      end() {
        for (const id of mute) cut(id)
      },
    })
    return {}
  },
})
