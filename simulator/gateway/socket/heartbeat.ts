export type Heartbeat = {
  /** The peer has sent something, whatever it is. */
  heard(): void
  /** To be called at every beat. */
  beat(): void
}

/**
 * A peer that has been silent for a whole beat is pinged; one that is silent for another is gone, or as good as gone.
 */
export function createHeartbeat(peer: { ping(): void; cut(): void }): Heartbeat {
  let beatsSilent = 0
  return {
    heard() {
      beatsSilent = 0
    },
    beat() {
      beatsSilent++
      if (beatsSilent === 2) peer.ping()
      else if (beatsSilent > 2) peer.cut()
    },
  }
}

/** Calls `fn` every so many milliseconds until what it returns is called. */
export type Every = (ms: number, fn: () => void) => () => void

/**
 * By real time: a peer answers a ping in its own time, whatever the world's clock does. Once what has already arrived
 * is read: a process that was busy for long has not heard anybody meanwhile.
 */
export const everyRealMs: Every = (ms, fn) => {
  const timer = setInterval(() => setImmediate(fn), ms)
  return () => clearInterval(timer)
}
