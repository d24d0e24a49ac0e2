import { retryAfterMs } from '../../../client/retry-wait.ts'
import type { Choices } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { type Credential, isSuccess, type Reply, send } from '../requests/request.ts'
import { CannotJudge, CannotProbe } from '../verdict/cannot.ts'
import type { Judge } from '../verdict/judge.ts'
import { elapse } from '../world/control.ts'

type RateLimit = NonNullable<Choices['rateLimit']>

/** More than that is no case any more, but a load. */
const BURST_MAX = 500

/** The rate limit that the profile tells. Throws CannotProbe where it tells none, or one that is too far off. */
export function limitOf(target: Target): RateLimit {
  const limit = target.profile.choices.rateLimit
  if (limit === null) throw new CannotProbe('the profile does not tell the rate limit')
  if (limit.burst > BURST_MAX)
    throw new CannotProbe(`a burst of ${limit.burst} requests is more than a case sends`)
  return limit
}

/** How soon a client that heeds no 429 is back. */
export const HEEDLESS_MS = 150

/** A cheap read with a credential, of which a 429 is an answer and no trouble. */
export function readStatus(target: Target, credential: Credential): Promise<Reply> {
  return send(target, { method: 'GET', path: '/access/status', credential, provokes: [429] })
}

/**
 * One request after another, until one is refused; judges whether it comes to that. Throws CannotJudge where the limit is
 * not reached: then nothing was to be refused.
 */
export async function askUntilRefused(
  target: Target,
  judge: Judge,
  { limit, credential, rule }: { limit: RateLimit; credential: Credential; rule: string },
): Promise<Reply> {
  const startedMs = Date.now()
  const owed = () => limit.burst + (limit.perSecond * (Date.now() - startedMs)) / 1000
  let served = 0
  for (let asked = 1; asked <= 4 * BURST_MAX && served <= 2 * owed(); asked++) {
    const reply = await readStatus(target, credential)
    if (reply.status === 429) {
      judge.pass(rule, `${served} requests served, then 429`, [reply.evidence()])
      return reply
    }
    if (isSuccess(reply)) served++
  }
  const seen = `${served} requests served, none refused with 429`
  if (served > owed()) judge.fail(rule, seen)
  throw new CannotJudge(`${seen}: that does not go over the limit, or there is none`)
}

const WAIT_MS_MAX = 60_000

/** Waits for as long as `Retry-After` says, a second where it says nothing. */
export async function waitAsTold(target: Target, { headers }: Reply): Promise<void> {
  const waitMs =
    retryAfterMs({ retryAfter: headers['retry-after'], date: headers.date, nowMs: Date.now() }) ?? 1000
  if (waitMs > WAIT_MS_MAX) throw new CannotJudge(`asked to wait for ${waitMs} ms, longer than a case does`)
  await elapse(target, waitMs)
}
