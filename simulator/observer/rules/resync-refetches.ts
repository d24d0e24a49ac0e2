import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { streamReads } from '../stream-reads.ts'

const REFETCH_MS = 30_000

type Asked = { atMs: number; rooms: readonly string[]; entry: number }

export const resyncRefetches: ObserverRule = {
  id: 'client.resync.refetches',
  advice: 'Read again from REST whatever the rooms keep up to date, as soon as `resync_required` comes.',
  watch({ nowMs, after, kin, saw, accuse }) {
    /** The newest, where a socket is waited for already. */
    const waiting = new WeakMap<ObservedSocket, { newest: Asked }>()
    const readsOf = ({ client }: ObservedSocket, rooms: readonly string[]) =>
      streamReads({ client, kin: kin(client), rooms })

    const wait = (socket: ObservedSocket, asked: Asked) => {
      const open = { newest: asked }
      waiting.set(socket, open)
      after(socket.client, asked.atMs + REFETCH_MS - nowMs(), () => {
        waiting.delete(socket)
        if (!socket.isOpen || !socket.hasSentAll()) return
        const reads = readsOf(socket, asked.rooms)
        if (reads) saw()
        if (reads && reads.lastMs < asked.atMs) {
          accuse(socket.client, {
            observed: `nothing was read again within ${REFETCH_MS / 1000} s of resync_required on socket ${socket.number}, such as ${reads.paths[0]}`,
            evidence: [...socket.entries, asked.entry],
          })
        } else if (open.newest !== asked) wait(socket, open.newest)
      })
    }

    return {
      sent(socket, message) {
        if (!('control' in message) || message.control !== 'resync_required') return
        const asked = { atMs: nowMs(), rooms: [...socket.rooms], entry: message.entry }
        const open = waiting.get(socket)
        if (open) open.newest = asked
        else wait(socket, asked)
      },
    }
  },
}
