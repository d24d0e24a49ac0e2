import type { Client } from '../client.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'
import { RESTORE_MS, watchReconnections } from '../reconnections.ts'

export const reconnectSynchronizes: ObserverRule = {
  id: 'client.reconnect.synchronizes',
  advice: 'Send synchronize once all rooms are joined again, and wait for the control `synchronized`.',
  watch(tools) {
    const synchronized = ofEach<Client, { entry: number }>(() => ({ entry: 0 }))
    const { frame, closed } = watchReconnections(tools, ({ socket, lost }) => {
      if (synchronized(socket.client).entry > lost.entry || socket.rooms.size === 0) return
      tools.accuse(socket.client, {
        observed: `socket ${socket.number} is there in place of a lost one for ${RESTORE_MS / 1000} s, and has not sent synchronize`,
        evidence: [...lost.entries, ...socket.entries],
      })
    })
    return {
      frame(socket, news) {
        if (news.action === 'synchronize') synchronized(socket.client).entry = news.entry
        frame(socket, news)
      },
      closed,
    }
  },
}
