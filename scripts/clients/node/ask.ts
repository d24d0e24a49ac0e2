import type { Conduct } from './conduct.ts'
import { NoAnswer } from './exchange-error.ts'
import type { Answer, Request, Send } from './send.ts'
import { pause, type Timers } from './timers.ts'

/** Nobody waits for longer: what is so far off is no limit of a rate, and the caller is told. */
const WAIT_MS_MAX = 60_000

/**
 * Sends a request again where that helps, a bounded number of times; returns the last answer, whatever it says. `make` is
 * called for each, so that each goes with the credential of its time. Throws NoAnswer.
 */
export type Ask = (make: () => Request, options?: { attemptsMax?: number }) => Promise<Answer>

export function createAsk(options: {
  send: Send
  timers: Timers
  random: () => number
  conduct: Pick<Conduct, 'retryDelayMs' | 'attemptsMax'>
}): Ask {
  const { send, timers, random, conduct } = options
  let heldUntilMs = 0

  /** A 429 holds back whatever this client sends, not only the request that got it. */
  const untilFree = async () => {
    while (timers.nowMs() < heldUntilMs) await pause(timers, heldUntilMs - timers.nowMs())
  }

  return async (make, { attemptsMax = conduct.attemptsMax } = {}) => {
    for (let attempt = 0; ; attempt++) {
      await untilFree()
      const result = await send(make()).catch(keepNoAnswer)
      const answer = result instanceof NoAnswer ? undefined : result
      const delayMs = conduct.retryDelayMs({ answer, attempt, random })
      const isWaited = delayMs !== undefined && delayMs <= WAIT_MS_MAX
      if (isWaited && answer?.status === 429) heldUntilMs = Math.max(heldUntilMs, timers.nowMs() + delayMs)
      if (!isWaited || attempt + 1 >= attemptsMax) {
        if (result instanceof NoAnswer) throw result
        return result
      }
      await pause(timers, delayMs)
    }
  }
}

function keepNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error
  throw error
}
