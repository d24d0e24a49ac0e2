import { type RateGate, retryAfterMs, retryWaitMs } from '../../../client/retry-wait.ts'
import type { Tools } from '../../../client/time-and-chance.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { type Reply, whyNotTheExchange } from './reply.ts'

/** What of a request says whether, and until when, it is sent again. */
export type Asked = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Doing it twice does no harm, though it is no GET. */
  repeatable?: true
  /** Doing it twice may do harm that nobody undoes: not sent again even to see whether an error persists. */
  once?: true
  /** Statuses of 429 and 5xx that are answers here, not passing trouble. */
  provokes?: readonly number[]
  /** Takes the answer from whomever it comes: a redirect and a page of HTML too. */
  anybody?: true
}

export type Patiently = (asked: Asked, once: () => Promise<Reply>) => Promise<Reply>

/** All tries are spent. Whoever begins anew waits for as long as was asked first. */
export class GaveUp extends CannotJudge {
  readonly toldMs: number
  /** To the last try. */
  readonly reply: Reply

  constructor(message: string, { toldMs, reply }: { toldMs: number; reply: Reply }) {
    super(message)
    this.toldMs = toldMs
    this.reply = reply
  }
}

const TRIES_MAX = 4
/** To try earlier than asked would be wrong, to wait for longer a run of its own. */
const WAIT_MS_MAX = 30_000
/** Requests in a row that nobody answered: a target that is silent is not waited for again and again. */
const SILENCES_MAX = 3

/**
 * The one policy of retries. A 429, a 5xx or no answer at all may befall any request: it is waited, and tried again where
 * that is safe, within bounds; then GaveUp is thrown, and CannotJudge where what answers is not the exchange. Where there is
 * a gate, a 429 holds up every request of the client.
 */
export function createPatience(tools: Pick<Tools, 'nowMs' | 'random' | 'pause'>, gate?: RateGate): Patiently {
  const waitAfter = createRetryPolicy(tools, gate)
  return async (asked, once) => {
    for (let attempt = 0; ; attempt++) {
      if (gate?.isShut()) await gate.pass()
      const reply = await once()
      const waitMs = waitAfter(asked, reply, attempt)
      if (waitMs === undefined) return reply
      await tools.pause(waitMs)
    }
  }
}

/** How long to wait before the next try; undefined where the reply is an answer. Throws where there is no next try. */
export type RetryPolicy = (asked: Asked, reply: Reply, attempt: number) => number | undefined

/** A policy for one client: it counts silences and holds the gate, where there is one, after a 429. */
export function createRetryPolicy(tools: Pick<Tools, 'nowMs' | 'random'>, gate?: RateGate): RetryPolicy {
  let silences = 0
  return (asked, reply, attempt) => {
    const { status } = reply
    silences = status === 0 ? silences + 1 : 0
    if (!isTrouble(status) || asked.provokes?.includes(status)) {
      const why = asked.anybody ? undefined : whyNotTheExchange(reply)
      if (why === undefined) return undefined
      const message = `${why}: ${reply.evidence()}`
      // A redirect is for whoever set the address; a page of HTML may go away.
      throw status < 300 ? new GaveUp(message, { toldMs: 0, reply }) : new CannotJudge(message)
    }
    const toldMs = retryAfterMs({
      retryAfter: reply.headers['retry-after'],
      date: reply.headers.date,
      nowMs: tools.nowMs(),
    })
    const waitMs = retryWaitMs({ toldMs, attempt, random: tools.random })
    if (status === 429) gate?.shut(waitMs)
    if (attempt + 1 >= TRIES_MAX || !mayRepeat(asked, status) || silences >= SILENCES_MAX)
      throw new GaveUp(`after ${attempt + 1} tries: ${reply.evidence()}`, {
        toldMs: toldMs ?? 0,
        reply,
      })
    if (toldMs !== undefined && toldMs > WAIT_MS_MAX)
      throw new GaveUp(`asked to wait for ${Math.ceil(toldMs / 1000)} s: ${reply.evidence()}`, {
        toldMs,
        reply,
      })
    return waitMs
  }
}

/** Whether it may be gone the next time. 0: no answer came. */
function isTrouble(status: number): boolean {
  return status === 429 || status === 0 || status >= 500
}

/** What was answered with 429 was not done; after a 5xx or silence it may have been, and doing it twice is another thing. */
function mayRepeat(asked: Asked, status: number): boolean {
  return isRepeatable(asked) || status === 429
}

/** Whether doing it twice is as good as doing it once, whatever was answered. */
export function isRepeatable({ method, repeatable }: Pick<Asked, 'method' | 'repeatable'>): boolean {
  return method === 'GET' || repeatable === true
}
