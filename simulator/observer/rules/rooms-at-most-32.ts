import { LIMITS } from '../../../contract/limits.ts'
import type { ObserverRule } from '../observer-rule.ts'

export const roomsAtMost32: ObserverRule = {
  id: 'client.rooms.at-most-32',
  advice: 'Leave rooms that are no longer needed before joining others, or open a further socket.',
  watch: ({ saw, accuse }) => ({
    frame({ client, rooms, number, entries }, frame) {
      if (frame.action !== 'subscribe') return
      saw()
      if (frame.refusal !== 'rooms_full' || rooms.size < LIMITS.wsRoomsPerConnection) return
      accuse(client, {
        observed: `socket ${number} asked for a further room while it held ${rooms.size}`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}
