import { BoundedMap } from '../bounded-map.ts'
import type { Client } from '../client.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'
import { RESTORE_MS, watchReconnections } from '../reconnections.ts'

const ROOMS_MAX = 500

export const reconnectResubscribes: ObserverRule = {
  id: 'client.reconnect.resubscribes',
  advice: 'Keep the list of rooms, and subscribe to every one of them on the new socket.',
  watch(tools) {
    /** The journal entry of the frame that asked last for each room. */
    const askedOf = ofEach<Client, BoundedMap<string, number>>(() => new BoundedMap(ROOMS_MAX))
    const { frame, closed } = watchReconnections(tools, ({ socket, lost, isSole }) => {
      const asked = askedOf(socket.client)
      const missing = [...lost.rooms].filter((room) => (asked.get(room) ?? 0) < lost.entry)
      const none = missing.length === lost.rooms.size && socket.rooms.size === 0
      if (missing.length === 0 || !(none || isSole)) return
      tools.accuse(socket.client, {
        observed: `socket ${socket.number} is there in place of a lost one for ${RESTORE_MS / 1000} s, and ${missing.length} of its ${lost.rooms.size} rooms were not subscribed to again: ${missing.slice(0, 3).join(', ')}`,
        evidence: [...lost.entries, ...socket.entries],
      })
    })
    return {
      frame(socket, news) {
        if (news.action === 'subscribe') askedOf(socket.client).set(news.room, news.entry)
        frame(socket, news)
      },
      closed,
    }
  },
}
