import type { Client } from '../client.ts'
import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'

const REFETCH_MS = 30_000

type Announced = { revision: number; atMs: number; entry: number }

export const configRefetches: ObserverRule = {
  id: 'client.config.refetches',
  advice:
    'On ProtocolConfigChanged ask GET /protocol/state?minimum_revision= with the revision of the event.',
  watch({ nowMs, after, kin, saw, accuse }) {
    /** What a socket was told, and is waited for: the oldest, and the newest. */
    const open = new WeakMap<ObservedSocket, { oldest: Announced; newest: Announced }>()
    const askedBy = (client: Client) => Math.max(...kin(client).map(({ minimumAsked }) => minimumAsked))

    const wait = (socket: ObservedSocket, oldest: Announced, newest: Announced) => {
      const announced = { oldest, newest }
      open.set(socket, announced)
      after(socket.client, oldest.atMs + REFETCH_MS - nowMs(), () => {
        open.delete(socket)
        if (!socket.isOpen || !socket.hasSentAll()) return
        const asked = askedBy(socket.client)
        if (asked < announced.oldest.revision) return tell(socket, announced.oldest)
        if (asked < announced.newest.revision) wait(socket, announced.newest, announced.newest)
      })
    }
    const tell = (socket: ObservedSocket, { revision, entry }: Announced) =>
      accuse(socket.client, {
        observed: `socket ${socket.number} was told of revision ${revision}, and within ${REFETCH_MS / 1000} s nobody asked for /protocol/state with minimum_revision of at least that`,
        evidence: [...socket.entries, entry],
      })

    return {
      sent(socket, message) {
        if (!('revision' in message) || socket.authenticatedMs === null) return
        saw()
        const { revision, entry } = message
        if (askedBy(socket.client) >= revision) return
        const announced = { revision, atMs: nowMs(), entry }
        const waiting = open.get(socket)
        if (waiting) waiting.newest = announced
        else wait(socket, announced, announced)
      },
    }
  },
}
