/** Client and stub on one virtual clock: minutes pass in as little time as the work in them takes. */
import type { Clock } from '../simulator/clock.ts'

/** Time and chance for a client, on the clock of its stub. */
export type ClientTime = {
  nowMs(): number
  /** [0, 1). */
  random(): number
  pause(ms: number): Promise<void>
  /** Runs `fn` once; the returned function cancels it. */
  after(ms: number, fn: () => void): () => void
}

export type VirtualTime = {
  tools: ClientTime
  /** Advances time from one timer to the next, each time until all is quiet. */
  pass(ms: number): Promise<void>
  /** Advances time until the promise settles, by at most `msMax`. */
  until<Value>(promise: Promise<Value>, msMax?: number): Promise<Value>
}

/**
 * `activity` counts what the client does besides using its tools, and `quietTurns` how long it may wait for the system. A `turn` is
 * one of the event loop (default), or longer for a client in another process.
 */
export function createVirtualTime(options: {
  world: { clock: Clock; advance(ms: number): void }
  random: () => number
  quietTurns: number
  activity?: () => number
  turn?: () => Promise<unknown>
}): VirtualTime {
  const { world, random, quietTurns, activity = () => 0, turn = turnOfEventLoop } = options
  const { clock } = world
  let uses = 0
  const after: ClientTime['after'] = (ms, fn) => {
    uses++
    const timer = clock.after(Math.ceil(ms), fn)
    return () => {
      uses++
      timer.cancel()
    }
  }
  const tools: ClientTime = {
    nowMs() {
      uses++
      return clock.nowMs()
    },
    random,
    after,
    pause: (ms) => new Promise((done) => void after(ms, done)),
  }
  const settle = async () => {
    for (let turns = 0, seen = uses + activity(); turns < quietTurns; turns++) {
      await turn()
      const now = uses + activity()
      if (seen !== now) turns = 0
      seen = now
    }
  }
  const step = async (msMax: number) => {
    const nextMs = (clock.nextAtMs() ?? Number.POSITIVE_INFINITY) - clock.nowMs()
    const ms = Math.min(msMax, Math.max(0, Math.ceil(nextMs)))
    world.advance(ms)
    await settle()
    return ms
  }

  return {
    tools,
    async pass(ms) {
      await settle()
      for (let left = ms; left > 0; ) left -= await step(left)
    },
    async until(promise, msMax = 600_000) {
      let isSettled = false
      const settled = () => {
        isSettled = true
      }
      promise.then(settled, settled)
      await settle()
      for (let left = msMax; !isSettled && left > 0; ) left -= await step(left)
      if (!isSettled) throw new Error(`not settled after ${msMax} ms`)
      return promise
    },
  }
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}
