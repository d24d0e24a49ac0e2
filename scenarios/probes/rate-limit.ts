import exec from 'k6/execution'
import { retryAfterMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { config } from '../lib/config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, mustBeLeft, type Reply, send } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, CannotProbe, reportWaiting } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'

/** A limit that refills fast needs many concurrent requests; a small one must not be exceeded by far. */
const AT_ONCE = { min: 10, max: 50, shareOfBurst: 0.05 }
/** Reserved for all other probes of a run. */
const OF_OTHERS = 1000
const WAIT_MS_MAX = 60_000
/** Time needed to measure the send rate. */
const PACE_MS = 2000

export const rateLimit: Probe = {
  rules: ['rate-limit.burst.429', 'rate-limit.wait.recovers'],
  world: 'limits',
  load: true,
  async run(target, judge) {
    const limit = target.profile.choices.rateLimit
    if (limit === null) throw new CannotProbe('the profile does not state the rate limit', 'choice')
    const credential = await readCredential(target)
    const atOnce = Math.min(
      AT_ONCE.max,
      Math.max(AT_ONCE.min, Math.round(limit.burst * AT_ONCE.shareOfBurst)),
    )
    const most = 2 * limit.burst + atOnce
    mustBeLeft(most + OF_OTHERS, `a burst of ${limit.burst}, with ${OF_OTHERS} requests for other probes,`)
    await untilLoadIsOver(target)
    const send = () => sendBurst(target, { limit, credential, atOnce, most })
    const burst = await send()
    const { replies, ms, first, served, owed } = burst
    await checkBodies(replies, () => sendAtOnce(target, { credential, atOnce }))
    const refillMs = (limit.burst / limit.perSecond) * 1000
    const others = replies.filter((reply) => reply.status !== 429 && (isClientError(reply) || isError(reply)))
    const sent = [
      `${replies.length} requests in ${ms} ms`,
      `${served} of them served`,
      ...countStatuses(others),
    ].join(', ')
    const isMet = async () => {
      if (!(await isServedAfter(target, credential, refillMs))) return false
      if (!others.some(isError)) return true
      // An overloaded target may return errors. A rate limit recurs at the same point.
      return isMetAtLimit(burst, limit, atOnce) && isMetAtLimit(await send(), limit, atOnce)
    }
    const isOver = first !== undefined || served > owed || (served + others.length > owed && (await isMet()))
    if (!isOver)
      throw new CannotJudge(
        `no 429, but the served requests do not exceed the limit of ${limit.burst} and ${limit.perSecond} per second: ${sent}`,
      )
    judge.that(
      'rate-limit.burst.429',
      first !== undefined,
      `${sent}, ${first ? '' : 'none '}rate limited (429)`,
      [first ?? others[0]].flatMap((reply) => reply?.evidence() ?? []),
    )
    if (!first) throw new CannotJudge('no request was rate limited, so there is nothing to recover from')
    await judgeRecovery(target, judge, { first, credential, refillMs })
  },
}

/** A single 429 is not checked, so it sends more if the limit has only just been reached. */
async function checkBodies(replies: readonly Reply[], sendMore: () => Promise<Reply[]>): Promise<void> {
  const limited = replies.filter(isLimited)
  if (limited.length === 1) limited.push(...(await sendMore()).filter(isLimited))
  errorWatch.checkTwins({ method: 'GET', path: '/access/status' }, limited.slice(0, 2))
}

function isLimited({ status }: Reply): boolean {
  return status === 429
}

function sendAtOnce(
  target: Target,
  { credential, atOnce }: { credential: Credential; atOnce: number },
): Promise<Reply[]> {
  return Promise.all(Array.from({ length: atOnce }, () => read(target, credential)))
}

type Limit = { burst: number; perSecond: number }
type Burst = {
  replies: readonly Reply[]
  ms: number
  first: Reply | undefined
  served: number
  /** Requests that the limit allows in that time. */
  owed: number
}

/** Such as `395 returned 503`. */
function countStatuses(replies: readonly Reply[]): string[] {
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) =>
    status === 0 ? `${count} got no response` : `${count} returned ${status}`,
  )
}

async function sendBurst(
  target: Target,
  { limit, credential, atOnce, most }: { limit: Limit; credential: Credential; atOnce: number; most: number },
): Promise<Burst> {
  const startedMs = Date.now()
  const replies: Reply[] = []
  let first: Reply | undefined
  /** The first requests open connections, so they do not count for the send rate. */
  let pacedFromMs: number | undefined
  while (first === undefined && replies.length < most) {
    replies.push(...(await sendAtOnce(target, { credential, atOnce })))
    first = replies.find(isLimited)
    const nowMs = Date.now()
    pacedFromMs ??= nowMs
    const sent = replies.length - atOnce
    if (first === undefined) mustOutrunRefill({ sent, ms: nowMs - pacedFromMs, perSecond: limit.perSecond })
  }
  const ms = Date.now() - startedMs
  const served = replies.filter(isSuccess).length
  return { replies, ms, first, served, owed: limit.burst + (limit.perSecond * ms) / 1000 }
}

/**
 * True if requests were served up to about the limit and then failed. Others may use the same credential, and requests
 * that are sent at once arrive in any order.
 */
function isMetAtLimit({ replies, served, owed }: Burst, { burst }: Limit, atOnce: number): boolean {
  const at = replies.findIndex(isError)
  const fewest = burst * SHARE_MIN
  return (
    at >= fewest - atOnce &&
    served >= fewest &&
    served <= owed &&
    replies.slice(at).filter(isSuccess).length <= owed - at
  )
}

const SHARE_MIN = 0.8

/** A request rejected in a burst but served after the refill was rejected for its rate. */
async function isServedAfter(target: Target, credential: Credential, refillMs: number): Promise<boolean> {
  if (refillMs > WAIT_MS_MAX) return false
  await elapse(target, Math.max(1000, refillMs))
  return isSuccess(await read(target, credential))
}

/** Below the refill rate, no number of requests exceeds the limit. */
function mustOutrunRefill({ sent, ms, perSecond }: { sent: number; ms: number; perSecond: number }): void {
  const pace = Math.round(sent / (ms / 1000))
  if (ms < PACE_MS || pace > perSecond) return
  throw new CannotJudge(
    `cannot send faster than the limit refills: ${sent} requests in ${ms} ms are ${pace} per second, and it refills ${perSecond} per second`,
  )
}

/** Keeps this burst out of the latencies that a load test measures. */
async function untilLoadIsOver(target: Target): Promise<void> {
  if (!config.given || config.mix === null) return
  const endMs = exec.scenario.startTime + config.mix.durationSeconds * 1000
  const waitMs = Math.max(0, endMs - Date.now())
  reportWaiting(target, waitMs)
  await pause(waitMs)
}

/** Allows three waits, since others may use the same credential. */
export async function judgeRecovery(
  target: Target,
  judge: Judge,
  { first, credential, refillMs }: { first: Reply; credential: Credential; refillMs: number },
): Promise<void> {
  const rule = 'rate-limit.wait.recovers'
  const responses: Reply[] = []
  let latest = first
  for (let tries = 0; tries < 3 && latest.status !== 200; tries++) {
    // A server may extend the wait of a client that it still limits.
    const waitMs = Math.max(statedWaitMs(latest) ?? 0, 1000, refillMs)
    if (waitMs > WAIT_MS_MAX) throw new CannotJudge(`has to wait ${waitMs} ms, longer than a run`)
    await elapse(target, waitMs)
    latest = await read(target, credential)
    responses.push(latest)
  }
  const { outcome, last, explanation } = await confirm({
    first: latest,
    describeError: (reply) => (isError(reply) ? String(reply.status) : undefined),
    again: () => read(target, credential),
    witness: async () => {
      const { status } = await send(target, { method: 'GET', path: '/tokens' })
      return { served: status === 200, explanation: `GET /tokens -> ${status}` }
    },
  })
  const seen = `${responses.map(({ status }) => status).join(', ')} after the wait ${explanation}`
  const evidence = [...new Set([...responses, last])].map((reply) => reply.evidence())
  // It is open how long a server may reject requests, unless it states that: then the stated wait was over each time.
  const isOpen =
    last.status === 429 && [first, ...responses].some((reply) => statedWaitMs(reply) === undefined)
  if (outcome === 'open' || isOpen) judge.inconclusive(rule, seen, evidence)
  else judge.that(rule, last.status === 200, seen, evidence)
}

function statedWaitMs({ headers: { 'retry-after': retryAfter, date } }: Reply): number | undefined {
  return retryAfterMs({ retryAfter, date, nowMs: Date.now() })
}

function read(target: Target, credential: Credential): Promise<Reply> {
  return send(target, { method: 'GET', path: '/access/status', credential, provokes: [429] })
}
