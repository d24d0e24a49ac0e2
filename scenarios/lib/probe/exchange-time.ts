import type { Target } from '../../../contract/scenario-config.ts'
import { parseTime } from '../duties/event-time.ts'
import { withApiToken } from '../identity/api-token.ts'
import { fullCredentialOf, type Session } from '../identity/session.ts'
import { pick } from '../pick.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { parseExpiry } from '../verdict/expiry.ts'
import { nowMs } from '../world/control.ts'

/**
 * The time by the exchange's own clock, which the header Date need not be: a proxy may replace it. Asks the control API, or else creates
 * an API token, reads when it was created, and revokes it. Throws CannotJudge or CannotProbe if neither tells the time.
 */
export async function exchangeTimeMs(target: Target, session: Session): Promise<number> {
  if (hasControl(target)) return await nowMs(target)
  let timeMs: number | undefined
  await withApiToken(target, fullCredentialOf(session), async ({ reply }) => {
    const created = pick(reply.json, 'data.created_at')
    timeMs = parseTime(created, 'iso8601') ?? parseExpiry(created, target.profile.choices.expiry)
  })
  if (timeMs === undefined)
    throw new CannotJudge('no time that can be read at data.created_at of an API token')
  return timeMs
}
