import { LIMITS } from '../../contract/limits.ts'
import { credentialOf, isAlive, refresh, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { elapseLong, mustBeAbleToWait } from '../lib/time/control.ts'

const MINUTE_MS = 60_000

/** An access session from one minute before its end to one after, and its revival. */
export const sessionLife: Probe = {
  rules: ['auth.session.lives-15-min', 'auth.session.expires-15-min', 'auth.refresh.revives'],
  world: 'clock',
  async run(target, judge) {
    mustBeAbleToWait(target, LIMITS.accessSessionSeconds * 1000 + MINUTE_MS)
    await withSession(target, walletFor(target, 'clock'), async (session) => {
      const lifeMs = LIMITS.accessSessionSeconds * 1000
      await elapseLong(target, lifeMs - MINUTE_MS)
      const young = await isAlive(target, credentialOf(session))
      judge.that(
        'auth.session.lives-15-min',
        young.alive,
        young.alive ? 'alive after 14 minutes' : 'ended after 14 minutes',
        [young.reply.evidence()],
      )
      if (!young.alive) throw new CannotJudge('the session was dead before its time')
      await elapseLong(target, 2 * MINUTE_MS)
      const old = await isAlive(target, credentialOf(session))
      judge.that(
        'auth.session.expires-15-min',
        !old.alive,
        old.alive ? 'alive after 16 minutes' : 'ended after 16 minutes',
        [old.reply.evidence()],
      )
      const refreshed = await refresh(target, session)
      const revived = await isAlive(target, credentialOf(session))
      const seen = `refresh answered ${refreshed.status}, the session is ${revived.alive ? 'alive' : 'ended'}`
      judge.that('auth.refresh.revives', isSuccess(refreshed) && revived.alive, seen, [
        refreshed.evidence(),
        revived.reply.evidence(),
      ])
    })
  },
}
