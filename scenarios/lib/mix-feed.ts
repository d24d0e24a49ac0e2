import { Counter } from 'k6/metrics'
import { clearTimeout, setTimeout } from 'k6/timers'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, CannotProbe } from './cannot.ts'
import { backoffMs } from './client/retry-wait.ts'
import { type MixSocket, openMixSocket } from './mix-socket.ts'
import type { Credential } from './request.ts'
import { takeTicket } from './served-feed.ts'

/** By `outcome`: served; mute, where synchronize was not answered; refused, where there was no ticket, or no socket. */
const sockets = new Counter('feed_sockets')

export type FollowOptions = {
  target: Target
  credential: () => Credential
  rooms: readonly string[]
  renewAfterMs: number
  random: () => number
  /** Reads again what events were followed for: some may have been missed. */
  refetch: () => void
  onRevision: (revision: bigint) => void
}

/** A socket that comes to nothing again and again is left: after so many in a row. */
const FAILURES_MAX = 5

/**
 * Follows the rooms until `close`, by the specification's connection procedure: a ticket, authenticate, subscribe,
 * synchronize; a new ticket before the old one ends; after a loss backoff with jitter, all of it again, and `refetch`.
 */
export function followFeed(options: FollowOptions): { close(): void; ended: Promise<void> } {
  let socket: MixSocket | undefined
  let wanted = true
  let stopWaiting = () => {}
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      stopWaiting = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const follow = async () => {
    let failures = 0
    let isFirst = true
    while (wanted && failures < FAILURES_MAX) {
      let synchronized = false
      const onControl = (control: string) => {
        if (control === 'synchronized') synchronized = true
        if (control === 'resync_required') options.refetch()
      }
      const ticket = await ticketFor(options)
      socket = ticket === undefined || !wanted ? undefined : await openMixSocket({ ...options, onControl })
      // Told to close while it was opening.
      if (!wanted) socket?.close()
      const served =
        socket && ticket && (await serve(socket, ticket, { ...options, synchronized: () => synchronized }))
      if (wanted || served) sockets.add(1, { outcome: served ? 'served' : socket ? 'mute' : 'refused' })
      if (socket && served) {
        if (!isFirst) options.refetch()
        isFirst = false
        await keepOpen(socket, options)
      }
      socket?.close()
      failures = served ? 0 : failures + 1
      if (wanted) await wait(backoffMs({ attempt: failures, random: options.random }))
    }
  }
  return {
    ended: follow(),
    close() {
      wanted = false
      socket?.close()
      stopWaiting()
    },
  }
}

const QUIET_MS = 1000
const SYNCHRONIZED_MS = 5000

/** Authenticates, joins the rooms and waits until that is done. How a server says that it is authenticated is not stated. */
async function serve(
  socket: MixSocket,
  ticket: string,
  { rooms, synchronized }: FollowOptions & { synchronized: () => boolean },
): Promise<boolean> {
  const before = socket.frames()
  socket.send({ action: 'authenticate', token: ticket })
  await socket.until(() => socket.frames() > before, QUIET_MS)
  for (const room of rooms) socket.send({ action: 'subscribe', room })
  socket.send({ action: 'synchronize' })
  return await socket.until(synchronized, SYNCHRONIZED_MS)
}

async function keepOpen(socket: MixSocket, options: FollowOptions): Promise<void> {
  while (socket.isOpen()) {
    await socket.until(() => false, options.renewAfterMs)
    const ticket = socket.isOpen() ? await ticketFor(options) : undefined
    // Without a renewal the server ends it; then a new one is opened.
    if (ticket !== undefined) socket.send({ action: 'authenticate', token: ticket })
    else if (socket.isOpen()) await socket.until(() => false, QUIET_MS)
  }
}

async function ticketFor({ target, credential }: FollowOptions): Promise<string | undefined> {
  try {
    return (await takeTicket(target, credential())).ticket
  } catch (error) {
    if (error instanceof CannotJudge || error instanceof CannotProbe) return undefined
    throw error
  }
}
