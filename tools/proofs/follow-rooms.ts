import { setTimeout } from 'node:timers/promises'

export type MostRooms = { subscriptions: number; ofOneSocket: number }

const POLL_MS = 100

/** Raises the counts of joined rooms to the highest that the stub reports, until it is ended. */
export function followRooms(
  { url, token }: { url: string; token: string },
  most: MostRooms,
): () => Promise<void> {
  const ended = new AbortController()
  const following = (async () => {
    while (!ended.signal.aborted) {
      const response = await fetch(`${url}/sockets`, { headers: { Authorization: `Bearer ${token}` } })
      // as: the control API's format
      const { sockets } = (await response.json()) as { sockets: { rooms: number }[] }
      const rooms = sockets.map((socket) => socket.rooms)
      const subscriptions = rooms.reduce((sum, each) => sum + each, 0)
      most.subscriptions = Math.max(most.subscriptions, subscriptions)
      most.ofOneSocket = Math.max(most.ofOneSocket, ...rooms)
      await setTimeout(POLL_MS)
    }
  })()
  // Awaited at the end.
  following.catch(() => {})
  return async () => {
    ended.abort()
    await following
  }
}
