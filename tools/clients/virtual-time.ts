import type { Timers } from '../../client/timers.ts'
import type { World } from '../../simulator/world/world.ts'

/** Turns of the event loop without a sign of life from the client, after which nothing is under way any more. */
const QUIET_TURNS = 60

export type VirtualTime = {
  /** For a client: of the stub's own clock. */
  timers: Timers
  /** Lets time pass, from one thing that falls due to the next, each time until all is quiet. */
  pass(ms: number): Promise<void>
  /** Lets time pass until it has settled, but no more than `msMax`. */
  until<Value>(promise: Promise<Value>, msMax?: number): Promise<Value>
}

/**
 * Client and stub on one clock, in one process: nothing sleeps, and a quarter of an hour takes a second. The client asks
 * its timers for whatever it sends and gets, so that it is known when it has nothing to do but wait.
 */
export function virtualTime(world: Pick<World, 'clock' | 'advance'>): VirtualTime {
  const { clock } = world
  let signs = 0
  const timers: Timers = {
    nowMs() {
      signs++
      return clock.nowMs()
    },
    after(delayMs, fn) {
      signs++
      const timer = clock.after(Math.ceil(delayMs), fn)
      return {
        cancel() {
          signs++
          timer.cancel()
        },
      }
    },
  }
  const settle = async () => {
    for (let turns = 0, seen = signs; turns < QUIET_TURNS; turns++) {
      await new Promise((done) => setImmediate(done))
      if (seen !== signs) turns = 0
      seen = signs
    }
  }
  /** Returns how much has passed. */
  const step = async (msMax: number) => {
    const nextMs = (clock.nextAtMs() ?? Number.POSITIVE_INFINITY) - clock.nowMs()
    const ms = Math.min(msMax, Math.max(0, Math.ceil(nextMs)))
    world.advance(ms)
    await settle()
    return ms
  }

  return {
    timers,
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
      if (!isSettled) throw new Error(`still not done after ${msMax} ms`)
      return promise
    },
  }
}
