import { BoundedMap } from '../bounded-map.ts'
import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'

const TICKETS_MAX = 5000

export const ticketFresh: ObserverRule = {
  id: 'client.ticket.fresh',
  advice: 'Ask for a new ticket right before each authenticate frame, for a renewal as for a new socket.',
  watch({ saw, accuse }) {
    const used = new BoundedMap<string, { socket: ObservedSocket; entry: number }>(TICKETS_MAX)
    return {
      frame(socket, frame) {
        if (frame.action !== 'authenticate') return
        saw()
        const { digest, outcome, entry } = frame
        const before = used.get(digest)
        if (!before && outcome !== 'refused') used.set(digest, { socket, entry })
        // Two tabs may share one for as long as both are open: they neither renew nor reconnect with it.
        const isReuse = before && (before.socket === socket || !before.socket.isOpen)
        if (!isReuse) return
        const where =
          before.socket === socket ? 'earlier on it' : `by socket ${before.socket.number}, which has closed`
        accuse(socket.client.wallet === null ? before.socket.client : socket.client, {
          observed: `socket ${socket.number} sent a ticket that had been used ${where}`,
          evidence: [before.entry, entry],
        })
      },
    }
  },
}
