import { retryAfterMs } from '../../../client/retry-wait.ts'
import type { Choices } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { type Credential, isSuccess, type Reply, send } from '../requests/request.ts'
import type { Judge } from '../verdict/judge.ts'
import { CannotJudge, CannotProbe } from '../verdict/judge.ts'
import { elapse } from '../world/control.ts'

type RateLimit = NonNullable<Choices['rateLimit']>

/** A higher limit takes a load test, not a case. */
const BURST_MAX = 500

/** Throws CannotProbe if the profile has no rate limit, or one that a case cannot reach. */
export function requireRateLimit(target: Target): RateLimit {
  const limit = target.profile.choices.rateLimit
  if (limit === null) throw new CannotProbe('the profile does not state the rate limit (choices.rateLimit)')
  if (limit.burst > BURST_MAX)
    throw new CannotProbe(`a burst of ${limit.burst} requests exceeds the maximum of a case (${BURST_MAX})`)
  return limit
}

/** Interval of a client that ignores 429. */
export const HEEDLESS_MS = 150

/** A cheap authenticated read that expects 429 as a valid response. */
export function readStatus(target: Target, credential: Credential): Promise<Reply> {
  return send(target, { method: 'GET', path: '/access/status', credential, provokes: [429] })
}

/**
 * Sends requests one after another until one gets 429, and judges the rule by it. Throws CannotJudge if the
 * limit was not reached.
 */
export async function requestUntilLimited(
  target: Target,
  judge: Judge,
  { limit, credential, rule }: { limit: RateLimit; credential: Credential; rule: string },
): Promise<Reply> {
  const startedMs = Date.now()
  const owed = () => limit.burst + (limit.perSecond * (Date.now() - startedMs)) / 1000
  let served = 0
  for (let sent = 1; sent <= 4 * BURST_MAX && served <= 2 * owed(); sent++) {
    const reply = await readStatus(target, credential)
    if (reply.status === 429) {
      judge.pass(rule, `${served} requests served, then 429`, [reply.evidence()])
      return reply
    }
    if (isSuccess(reply)) served++
  }
  const seen = `${served} requests served without 429`
  if (served > owed()) judge.fail(rule, seen)
  throw new CannotJudge(`${seen}: below the limit, or there is no limit`)
}

const WAIT_MS_MAX = 60_000

/** Waits for `Retry-After`, or one second if the header is missing. */
export async function awaitRetryAfter(target: Target, { headers }: Reply): Promise<void> {
  const waitMs =
    retryAfterMs({ retryAfter: headers['retry-after'], date: headers.date, nowMs: Date.now() }) ?? 1000
  if (waitMs > WAIT_MS_MAX)
    throw new CannotJudge(`Retry-After is ${waitMs} ms, more than the ${WAIT_MS_MAX} ms that a case waits`)
  await elapse(target, waitMs)
}
