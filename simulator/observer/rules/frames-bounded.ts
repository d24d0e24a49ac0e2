import { LIMITS } from '../../../contract/limits.ts'
import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'

/** The network may bring what was sent in a minute a little closer together. */
const WINDOW_MS = 58_000
const FRAMES_MAX = LIMITS.wsFramesPerMinute

export const framesBounded: ObserverRule = {
  id: 'client.frames.bounded',
  advice: 'Spread frames over time: at most 240 in any minute on one socket, renewals included.',
  watch({ nowMs, saw, accuse }) {
    /** A ring of when the last frames came. */
    const lastOf = ofEach<ObservedSocket, { atMs: number[]; count: number }>(() => ({ atMs: [], count: 0 }))
    return {
      frame(socket, { entry }) {
        saw()
        const last = lastOf(socket)
        const place = last.count++ % FRAMES_MAX
        const before = last.atMs[place]
        last.atMs[place] = nowMs()
        if (before === undefined || nowMs() - before >= WINDOW_MS) return
        last.atMs = []
        last.count = 0
        accuse(socket.client, {
          observed: `socket ${socket.number} sent ${FRAMES_MAX + 1} frames within ${Math.round(nowMs() - before)} ms`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}
