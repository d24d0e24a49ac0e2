import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, CannotProbe } from '../lib/cannot.ts'
import { elapse } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import type { Probe } from '../lib/probe.ts'
import { type Credential, type Reply, send } from '../lib/request.ts'
import { retryAfterMs } from '../lib/retry-after.ts'

const BURST_MAX = 500
const AT_ONCE = 10

/** Goes over the limit that the profile tells, once, and waits. */
export const rateLimit: Probe = {
  rules: ['rate-limit.burst.429', 'rate-limit.wait.recovers'],
  world: 'limits',
  async run(target, judge) {
    const limit = target.profile.choices.rateLimit
    if (limit === null) throw new CannotProbe('the profile does not tell the rate limit')
    if (limit.burst > BURST_MAX)
      throw new CannotProbe(`a burst of ${limit.burst} requests is more than a probe sends`)
    const credential = await readCredential(target)
    const startedMs = Date.now()
    const replies: Reply[] = []
    const owed = () => limit.burst + (limit.perSecond * (Date.now() - startedMs)) / 1000
    const refused = () => replies.find(({ status }) => status === 429)
    while (!refused() && replies.length <= 2 * owed() && replies.length < 4 * BURST_MAX) {
      replies.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => read(target, credential)))))
    }
    const first = refused()
    const seen = `${replies.length} requests in ${Date.now() - startedMs} ms, ${first ? 'refused with 429' : 'none refused with 429'}`
    judge.that('rate-limit.burst.429', first !== undefined, seen, first ? [first.evidence()] : [])
    if (!first) throw new CannotJudge('nothing was refused, so there is nothing to recover from')

    const { date } = first.headers
    const wait = retryAfterMs({ retryAfter: first.headers['retry-after'], date, nowMs: Date.now() })
    await elapse(target, Math.max(wait ?? 0, 1000, (limit.burst / limit.perSecond) * 1000))
    const after = await read(target, credential)
    judge.that('rate-limit.wait.recovers', after.status === 200, `${after.status} after the wait`, [
      after.evidence(),
    ])
  },
}

function read(target: Target, credential: Credential): Promise<Reply> {
  return send(target, { method: 'GET', path: '/access/status', credential, provokes: [429] })
}
