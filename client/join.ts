/** What a connection does once it is authenticated, after a reconnect as at first: nothing of the last one is left. */
export function join(connection: {
  rooms: readonly string[]
  isReconnect: boolean
  subscribe: (room: string) => void
  /** Calls `then` at the `synchronized` that answers. */
  synchronize: (then: () => void) => void
  /** All rooms deliver: what depends on them may be loaded. */
  ready: () => void
}): void {
  for (const room of connection.rooms) connection.subscribe(room)
  connection.synchronize(connection.ready)
}
