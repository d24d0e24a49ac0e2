import type { Target } from '../../contract/scenario-config.ts'
import { authenticate, isServed, takeTicket } from '../lib/feed/served-feed.ts'
import { alteredSecrets } from '../lib/identity/altered-secrets.ts'
import type { Credential } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { type Age, judgeRenewal, openAuthenticated } from './feed-ticket-checks.ts'

type RefusedOnce = {
  /** Sends a ticket that was never issued. */
  refuse(): void
  /** Renews the socket if it is still served: a server may close it for the ticket that was never issued. */
  renew(): Promise<void>
  /** For when the first ticket has expired. */
  judge(judge: Judge): Promise<void>
}

/** A socket that gets a valid renewal after one that is rejected. */
export async function openRefusedOnce(
  target: Target,
  { credential, age }: { credential: Credential; age: Pick<Age, 'ms'> },
): Promise<RefusedOnce> {
  const take = async () => (await takeTicket(target, credential)).ticket
  const ticket = await take()
  const renewed = await openAuthenticated(target, ticket)
  const madeUp = alteredSecrets(ticket).find(({ how }) => how === 'another character in its last half')
  let renewedAtMs: number | undefined
  return {
    refuse() {
      if (madeUp) renewed.send({ action: 'authenticate', token: madeUp.secret })
    },
    renew: () =>
      unlessCannot(async () => {
        if (!madeUp || !(await isServed(renewed))) return
        const fresh = await take()
        renewedAtMs = age.ms()
        await authenticate(renewed, fresh)
      }),
    judge: (judge) =>
      unlessCannot(async () => {
        if (renewedAtMs === undefined) return renewed.close()
        const when = 'at 75 s, renewed after a ticket that was never issued'
        await judgeRenewal(target, judge, { credential, renewed, renewedAtMs, when })
      }),
  }
}
