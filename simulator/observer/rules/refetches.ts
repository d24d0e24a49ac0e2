import type { Client } from '../client.ts'
import type { ObservedFrame, ObservedSocket } from '../observed.ts'
import { type ObserverRule, ofEach, type RuleTools } from '../observer-rule.ts'
import { LOADED_BEFORE_MS, watchReconnections } from './reconnects.ts'
import { createStreamReads, REFETCH_MS } from './stream-reads.ts'

/** A client whose requests fail or hang for this long is not judged. */
const UNCERTAIN_MS = 300_000

type Demand = {
  /** Named in the finding. */
  cause: string
  sinceMs: number
  keptSinceMs: number
  rooms: readonly string[]
  evidence: readonly number[]
}

/**
 * Checks that clients read again what they keep of the demanded rooms, as long as they are in them. A room that two
 * sockets of a client are in is not checked: one of them may belong to a program that keeps nothing.
 */
function watchRefetches(tools: RuleTools) {
  const { nowMs, after, begin, countCase, report } = tools
  const reads = createStreamReads(tools)
  /** The newest demand, if the socket already has a deadline. */
  const waiting = new WeakMap<ObservedSocket, { newest: Demand }>()
  const getSockets = ofEach<Client, Set<ObservedSocket>>(() => new Set())
  const isShared = (room: string, socket: ObservedSocket) =>
    [...getSockets(socket.client)].some((other) => other !== socket && other.rooms.has(room))

  /** False if the client is not finished yet. */
  const judge = (socket: ObservedSocket, demand: Demand): boolean => {
    const { client } = socket
    const { sinceMs, cause, evidence } = demand
    const rooms = demand.rooms.filter((room) => socket.rooms.has(room) && !isShared(room, socket))
    const { due, missing, isUncertain, busyMs } = reads.compare({ ...demand, client, rooms })
    if (missing.length > 0) {
      if (isUncertain && nowMs() - sinceMs >= UNCERTAIN_MS) {
        begin()
        return true
      }
      if (isUncertain || nowMs() - Math.max(busyMs, socket.releasedMs()) < REFETCH_MS) return false
      report(client, {
        observed: `${missing.length} of ${due} views were not read again within ${REFETCH_MS / 1000} s of ${cause}: ${missing.slice(0, 3).join(', ')}`,
        evidence,
      })
    }
    if (due > 0) countCase()
    return true
  }
  const judgeIn = (delayMs: number, socket: ObservedSocket, demand: Demand) => {
    after(socket.client, delayMs, () => {
      const newest = waiting.get(socket)?.newest
      const isGone = !socket.isOpen || !socket.hasSentAll()
      if (!isGone && !judge(socket, demand)) return judgeIn(REFETCH_MS, socket, demand)
      waiting.delete(socket)
      if (!isGone && newest && newest !== demand) expect(socket, newest)
    })
  }
  const expect = (socket: ObservedSocket, demand: Demand) => {
    const open = waiting.get(socket)
    if (open) {
      open.newest = demand
      return
    }
    waiting.set(socket, { newest: demand })
    judgeIn(Math.max(0, demand.sinceMs + REFETCH_MS - nowMs()), socket, demand)
  }
  return {
    expect,
    responded: reads.responded,
    frame(socket: ObservedSocket, { action }: ObservedFrame) {
      if (action === 'authenticate' && socket.authenticatedMs !== null) getSockets(socket.client).add(socket)
    },
    closed: (socket: ObservedSocket) => void getSockets(socket.client).delete(socket),
  }
}

export const resyncRefetches: ObserverRule = {
  id: 'client.resync.refetches',
  advice:
    'As soon as `resync_required` comes, read all data that the socket’s rooms keep up to date from REST again, and retry if that fails.',
  watch(tools) {
    const { expect, ...watch } = watchRefetches(tools)
    return {
      ...watch,
      sent(socket, message) {
        if (!('control' in message) || message.control !== 'resync_required') return
        expect(socket, {
          cause: `resync_required on socket ${socket.number}`,
          sinceMs: tools.nowMs(),
          keptSinceMs: socket.openedMs - LOADED_BEFORE_MS,
          rooms: [...socket.rooms],
          evidence: [...socket.entries, message.entry],
        })
      },
    }
  },
}

export const reconnectRefetches: ObserverRule = {
  id: 'client.reconnect.refetches',
  advice:
    'After `synchronized`, read all data that the rooms keep up to date from REST again, and retry if that fails: missed events are not sent again.',
  watch(tools) {
    const { expect, ...watch } = watchRefetches(tools)
    const { frame, closed, lostBefore } = watchReconnections(tools)
    const demanded = ofEach<ObservedSocket, Set<string>>(() => new Set())
    return {
      responded: watch.responded,
      frame(socket, news) {
        watch.frame(socket, news)
        frame(socket, news)
      },
      closed(socket, end) {
        watch.closed(socket)
        closed(socket, end)
      },
      sent(socket, message) {
        const lost = lostBefore(socket)
        if (!lost || !('control' in message) || message.control !== 'synchronized') return
        const known = demanded(socket)
        const rooms = [...lost.rooms].filter((room) => socket.rooms.has(room) && !known.has(room))
        if (rooms.length === 0) return
        for (const room of rooms) known.add(room)
        expect(socket, {
          cause: `\`synchronized\` on socket ${socket.number}, which replaced a lost one`,
          sinceMs: tools.nowMs(),
          keptSinceMs: lost.keptSinceMs,
          rooms,
          evidence: [...lost.entries, ...socket.entries, message.entry],
        })
      },
    }
  },
}
