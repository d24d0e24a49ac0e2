import type { Conduct } from './conduct.ts'
import type { Credential } from './credential.ts'
import {
  type Answer,
  ExchangeError,
  NoAnswer,
  type Request,
  type Send,
  type Request as Sent,
} from './send.ts'
import { pause, type Timers } from './timers.ts'

/** Nobody waits for longer: what is so far off is no limit of a rate, and the caller is told. */
const WAIT_MS_MAX = 60_000

/**
 * Sends a request again where that helps, a bounded number of times; returns the last answer, whatever it says. `make` is
 * called for each, so that each goes with the credential of its time. Throws NoAnswer.
 */
export type Ask = (
  make: () => Request,
  options?: { attemptsMax?: number; urgent?: boolean },
) => Promise<Answer>

/** Sends requests, and again where that may help, as the conduct says. */
export function createAsk(options: {
  send: Send
  timers: Timers
  random: () => number
  conduct: Pick<Conduct, 'retryDelayMs' | 'attemptsMax'>
}): Ask {
  const { send, timers, random, conduct } = options
  const gate = createRateGate({ timers })

  /** One attempt, and the wait after which another makes sense. */
  const attemptOnce = async (
    make: () => Request,
    { attempt, urgent }: { attempt: number; urgent: boolean },
  ) => {
    await gate.enter({ urgent })
    let limitedForMs: number | undefined
    try {
      const result = await send(make()).catch(keepNoAnswer)
      const answer = result instanceof NoAnswer ? undefined : result
      const delayMs = conduct.retryDelayMs({ answer, attempt, random })
      const waitMs = delayMs !== undefined && delayMs <= WAIT_MS_MAX ? delayMs : undefined
      if (answer?.status === 429) limitedForMs = waitMs
      return { result, waitMs }
    } finally {
      gate.leave(limitedForMs)
    }
  }

  return async (make, { attemptsMax = conduct.attemptsMax, urgent = false } = {}) => {
    for (let attempt = 0; ; attempt++) {
      const { result, waitMs } = await attemptOnce(make, { attempt, urgent })
      if (waitMs === undefined || attempt + 1 >= attemptsMax) {
        if (result instanceof NoAnswer) throw result
        return result
      }
      await pause(timers, waitMs)
    }
  }
}

function keepNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error
  throw error
}

const IN_FLIGHT_MAX = 8

/** How many requests are under way at once. */
type RateGate = {
  /** Resolves when another may be sent. What keeps the session and the feed alive is `urgent`, and goes first. */
  enter(options: { urgent: boolean }): Promise<void>
  /** One has been answered; with 429, if it told to wait. */
  leave(limitedForMs?: number): void
}

/**
 * A 429 holds back whatever this client would send, not only the request that got it. Afterwards half as many go out at
 * once, and one more again for each round that is not refused: who all came back together would be refused together.
 */
export function createRateGate({ timers }: { timers: Timers }): RateGate {
  const waiting: (() => void)[] = []
  let allowed = IN_FLIGHT_MAX
  let inFlight = 0
  let heldUntilMs = 0
  let wakes = false

  const admit = () => {
    const heldMs = heldUntilMs - timers.nowMs()
    if (heldMs > 0) return wakeIn(heldMs)
    while (waiting.length > 0 && inFlight < Math.floor(allowed)) {
      inFlight++
      waiting.shift()?.()
    }
  }
  const wakeIn = (delayMs: number) => {
    if (wakes) return
    wakes = true
    timers.after(delayMs, () => {
      wakes = false
      admit()
    })
  }

  return {
    enter: ({ urgent }) =>
      new Promise((done) => {
        if (urgent) waiting.unshift(done)
        else waiting.push(done)
        admit()
      }),
    leave(limitedForMs) {
      inFlight--
      if (limitedForMs === undefined) allowed = Math.min(IN_FLIGHT_MAX, allowed + 1 / allowed)
      else {
        allowed = Math.max(1, allowed / 2)
        heldUntilMs = Math.max(heldUntilMs, timers.nowMs() + limitedForMs)
      }
      admit()
    },
  }
}

const REPLACED_MAX = 2

export type Requester = {
  /** With the credential; the body of a success. Throws ExchangeError or NoAnswer. */
  request(
    request: Omit<Sent, 'headers'>,
    options?: { attemptsMax?: number; urgent?: boolean },
  ): Promise<Answer>
  /** Nothing is sent from here on. */
  stop(reason: Error): void
}

/** Replaces the credential after a 401 and sends the request again; after a 403 sends nothing any more. */
export function createRequester(options: {
  ask: Ask
  credential: Credential
  conduct: Pick<Conduct, 'replaceCredential' | 'stopsAt'>
}): Requester {
  const { ask, credential, conduct } = options
  let stopped: Error | undefined
  const noted = (error: unknown) => {
    if (error instanceof ExchangeError && conduct.stopsAt(error)) stopped = error
    return error
  }

  return {
    async request(request, limits) {
      for (let replaced = 0; ; replaced++) {
        let version = 0
        const make = () => {
          if (stopped) throw stopped
          version = credential.version()
          return { ...request, headers: credential.headersFor(request) }
        }
        const answer = await ask(make, limits)
        if (answer.status >= 200 && answer.status < 300) return answer
        const mayReplace = answer.status === 401 && replaced < REPLACED_MAX
        if (!mayReplace) throw noted(new ExchangeError(answer))
        await conduct.replaceCredential(credential, version).catch((error) => {
          throw noted(error)
        })
      }
    },
    stop(reason) {
      stopped ??= reason
    },
  }
}
