import type { ObserverRule } from '../observer-rule.ts'
import { RESTORE_MS, watchReconnections } from '../reconnections.ts'
import { streamReads } from '../stream-reads.ts'

export const reconnectRefetches: ObserverRule = {
  id: 'client.reconnect.refetches',
  advice:
    'After `synchronized` read again from REST whatever the rooms keep up to date: what was missed does not come again.',
  watch: (tools) =>
    watchReconnections(tools, ({ socket, lost }) => {
      const { client, authenticatedMs } = socket
      const reads = streamReads({ client, kin: tools.kin(client), rooms: lost.rooms })
      if (!reads || reads.lastMs >= (authenticatedMs ?? 0)) return
      tools.accuse(client, {
        observed: `socket ${socket.number} is there in place of a lost one for ${RESTORE_MS / 1000} s, and nothing was read again, such as ${reads.paths[0]}`,
        evidence: [...lost.entries, ...socket.entries],
      })
    }),
}
