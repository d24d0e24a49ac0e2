import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { onSockets, scheduleOptions } from '../on-sockets.ts'

/** For clients that cannot read slowly themselves: to the gateway it is the same. */
export const feedSlow = faultKind({
  name: 'feed-slow',
  summary:
    'Holds back all that goes out to open sockets, as if they did not read: beyond what it keeps unsent the feed drops events, and `resync_required` follows.',
  options: z.strictObject({
    ...scheduleOptions,
    stallMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .default(5000)
      .describe('For so long, and at the latest until the fault’s time ends'),
  }),
  start({ stallMs, ...schedule }, tools) {
    const resumes = new Set<() => void>()
    const resume = (go: () => void) => {
      if (resumes.delete(go)) go()
    }
    onSockets({
      schedule,
      tools,
      act(id) {
        const go = tools.feed.stall(id)
        resumes.add(go)
        tools.after(stallMs, () => resume(go))
      },
      end() {
        for (const go of resumes) resume(go)
      },
    })
    return {}
  },
})
