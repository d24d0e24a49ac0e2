import type { ObserverRule } from '../observer-rule.ts'
import { streamReads } from '../stream-reads.ts'

const REFETCH_MS = 30_000

export const resyncRefetches: ObserverRule = {
  id: 'client.resync.refetches',
  advice: 'Read again from REST whatever the rooms keep up to date, as soon as `resync_required` comes.',
  watch: ({ nowMs, after, kin, saw, accuse }) => ({
    sent(socket, message) {
      if (!('control' in message) || message.control !== 'resync_required') return
      const { client } = socket
      const sentMs = nowMs()
      const rooms = [...socket.rooms]
      if (!streamReads({ client, kin: kin(client), rooms })) return
      saw()
      after(client, REFETCH_MS, () => {
        const reads = streamReads({ client, kin: kin(client), rooms })
        if (!socket.isOpen || !socket.hasSentAll() || !reads || reads.lastMs >= sentMs) return
        accuse(client, {
          observed: `nothing was read again within ${REFETCH_MS / 1000} s of resync_required on socket ${socket.number}, such as ${reads.paths[0]}`,
          evidence: [...socket.entries, message.entry],
        })
      })
    },
  }),
}
