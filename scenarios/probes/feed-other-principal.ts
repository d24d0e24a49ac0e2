import {
  authenticate,
  isLost,
  isServedWithWitness,
  LOST,
  takeTicket,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { getCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/judge.ts'
import { OLD_MS, openAuthenticated, startAge, YOUNG_MS } from './feed-ticket-checks.ts'

/** Renews with another wallet's ticket, which does not count. A socket without a renewal is the witness. */
export const renewalByAnother: Probe = {
  rules: ['ws.ticket.renewal-other-principal'],
  world: 'clock',
  async run(target, judge) {
    const rule = 'ws.ticket.renewal-other-principal'
    const [mine, other] = [walletFor(target, 'feed'), walletFor(target, 'renewalOther')]
    if (mine.address === other.address) throw new CannotProbe('needs two wallets with access', 'wallets')
    await withSession(target, other, (otherSession) =>
      withSession(target, mine, async (session) => {
        const credential = getCredential(session)
        const take = async () => (await takeTicket(target, credential)).ticket
        const open = (ticket: string) => openAuthenticated(target, ticket)
        const age = startAge(target)
        let [feed, idle] = await Promise.all([open(await take()), open(await take())])
        const spare = [await take(), await take()] as const
        await age.until(YOUNG_MS)
        if (isLost(feed)) [feed, idle] = await Promise.all([open(spare[0]), open(spare[1])])
        if (feed.closed()) throw new CannotJudge('closed before 50 s')
        await authenticate(feed, (await takeTicket(target, getCredential(otherSession))).ticket)
        await age.until(OLD_MS)
        const served = await isServedWithWitness(feed, { target, credential })
        const [closed, idleClosed] = [feed.closed(), idle.closed()]
        feed.close()
        idle.close()
        if (served === undefined) return judge.inconclusive(rule, UNRESPONSIVE, feed.evidence())
        if (served && isLost(idle)) return judge.inconclusive(rule, LOST, idle.evidence())
        if (served && !idleClosed) {
          return judge.inconclusive(rule, 'a socket without any renewal stays open too', idle.evidence())
        }
        const seen = served ? 'served at 75 s' : closed ? `closed with ${closed.code}` : 'not served'
        judge.that(rule, !served, seen, feed.evidence())
      }),
    )
  },
}
