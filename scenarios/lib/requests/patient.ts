import {
  attemptUntilFinal,
  isTransient,
  mayRetry,
  type RateGate,
  retryAfterMs,
  retryWaitMs,
} from '../../../client/retry-wait.ts'
import type { Tools } from '../../../client/time-and-chance.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { explainNotTheExchange, type Reply } from './reply.ts'

/** The parts of a request that decide on retries. */
export type RetryTraits = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Idempotent although not a GET. */
  repeatable?: true
  /** Repeating it may cause irreversible harm: never resent, not even to confirm an error. */
  once?: true
  /** Statuses of 429 and 5xx that are valid responses here, not transient errors. */
  provokes?: readonly number[]
  /** Accepts any server's response, also a redirect or an HTML page. */
  anybody?: true
}

export type Patiently = (traits: RetryTraits, once: () => Promise<Reply>) => Promise<Reply>

/** All attempts are used up. Callers that start over must first wait `waitMs`, the target's Retry-After. */
export class GaveUp extends CannotJudge {
  readonly waitMs: number
  /** Reply to the last attempt. */
  readonly reply: Reply

  constructor(message: string, { serverWaitMs, reply }: { serverWaitMs: number; reply: Reply }) {
    super(message)
    this.waitMs = serverWaitMs
    this.reply = reply
  }
}

const TRIES_MAX = 4
/** Retrying before the requested time would be wrong; a longer wait exceeds the run. */
const WAIT_MS_MAX = 30_000
/** Consecutive timeouts before giving up at once: a silent target is not waited for again and again. */
const SILENCES_MAX = 3

/**
 * The retry policy. Any request may get a 429, a 5xx or no response: the client waits and retries within
 * bounds if that is safe, then throws GaveUp. Throws CannotJudge if another server responds. With a gate, a
 * 429 delays every request of the client.
 */
export function createPatience(tools: Pick<Tools, 'nowMs' | 'random' | 'pause'>, gate?: RateGate): Patiently {
  const waitAfter = createRetryPolicy(tools, gate)
  const { pause } = tools
  return (traits, once) =>
    attemptUntilFinal(once, {
      waitAfter: (reply, attempt) => waitAfter(traits, reply, attempt),
      pause,
      gate,
    })
}

/**
 * Returns the wait before the next attempt, or undefined if the reply is final. Throws if no attempt is left.
 */
export type RetryPolicy = (traits: RetryTraits, reply: Reply, attempt: number) => number | undefined

/** A policy for one client: counts timeouts and closes the gate after a 429. */
export function createRetryPolicy(tools: Pick<Tools, 'nowMs' | 'random'>, gate?: RateGate): RetryPolicy {
  let silences = 0
  return (traits, reply, attempt) => {
    const { status } = reply
    silences = status === 0 ? silences + 1 : 0
    if (!isTransient(status) || traits.provokes?.includes(status)) {
      const why = traits.anybody ? undefined : explainNotTheExchange(reply)
      if (why === undefined) return undefined
      const message = `${why}: ${reply.evidence()}`
      // A redirect needs a corrected URL; an HTML page may be transient.
      throw status < 300 ? new GaveUp(message, { serverWaitMs: 0, reply }) : new CannotJudge(message)
    }
    const serverWaitMs = readWaitMs(reply, tools.nowMs())
    const waitMs = retryWaitMs({ serverWaitMs, attempt, random: tools.random })
    if (status === 429) gate?.shut(waitMs)
    if (attempt + 1 >= TRIES_MAX || !mayRetry(status, traits) || silences >= SILENCES_MAX)
      throw new GaveUp(
        `after ${attempt + 1} ${attempt === 0 ? 'attempt' : 'attempts'}: ${reply.evidence()}`,
        {
          serverWaitMs: serverWaitMs ?? 0,
          reply,
        },
      )
    if (serverWaitMs !== undefined && serverWaitMs > WAIT_MS_MAX)
      throw new GaveUp(`Retry-After is ${Math.ceil(serverWaitMs / 1000)} s: ${reply.evidence()}`, {
        serverWaitMs,
        reply,
      })
    return waitMs
  }
}

/** The wait that a response requires; undefined if it does not state one. */
export function readWaitMs({ headers }: Reply, nowMs: number): number | undefined {
  return retryAfterMs({ retryAfter: headers['retry-after'], date: headers.date, nowMs })
}
