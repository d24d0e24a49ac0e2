export type Heartbeat = {
  received(): void
  /** Call this at every interval. */
  beat(): void
}

/** Pings a peer that is silent for an interval, and cuts it if it is silent for another. */
export function createHeartbeat(peer: { ping(): void; cut(): void }): Heartbeat {
  let beatsSilent = 0
  return {
    received() {
      beatsSilent = 0
    },
    beat() {
      beatsSilent++
      if (beatsSilent === 2) peer.ping()
      else if (beatsSilent > 2) peer.cut()
    },
  }
}

/** Calls `fn` at this interval until the returned function is called. */
export type Every = (ms: number, fn: () => void) => () => void

/**
 * In real time, since a peer responds to pings in its own time, whatever the world's clock does. Beats after pending
 * input is read, so that a busy process does not count received data as silence.
 */
export const everyRealMs: Every = (ms, fn) => {
  const timer = setInterval(() => setImmediate(fn), ms)
  return () => clearInterval(timer)
}
