import type { Target } from '../../contract/scenario-config.ts'
import { authenticate, isServed, takeTicket } from '../lib/feed/served-feed.ts'
import { alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { getCredential, refresh, type Session } from '../lib/identity/session.ts'
import type { Credential } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import {
  type Age,
  judgeEnd,
  judgeExpiry,
  judgeMisled,
  judgeRenewal,
  openAuthenticated,
  secretOf,
  type Taken,
} from './feed-ticket-checks.ts'

/** `renewedAtMs`: undefined if its socket could not be renewed. */
export type Others = Taken & { session: Session; renewedAtMs?: number }

/** Refreshes the session before the renewal: the principal stays the same. A refresh that fails is no matter here. */
export async function renewOthers(target: Target, others: Others, age: Pick<Age, 'ms'>): Promise<void> {
  await unlessCannot(async () => void (await refresh(target, others.session)))
  others.credential = getCredential(others.session)
  await unlessCannot(async () => {
    const { ticket } = await takeTicket(target, others.credential)
    others.renewedAtMs = age.ms()
    await authenticate(others.renewed, ticket)
  })
}

/** Judges what has a ticket of a session. */
export async function judgeOthers(target: Target, judge: Judge, others: Others): Promise<void> {
  const { credential, renewed, idle, misled, renewedAtMs } = others
  // The token of before the refresh may be no credential any more.
  const secret = secretOf(target, credential)
  const when = 'at 75 s, with tickets of a session that was refreshed'
  await Promise.all([
    unlessCannot(() => judgeEnd(judge, idle, 'after 75 s, with a ticket of a session')),
    unlessCannot(() => judgeExpiry(target, judge, others)),
    unlessCannot(() => judgeMisled(target, judge, { misled, secret })),
    unlessCannot(async () => {
      if (renewedAtMs !== undefined)
        await judgeRenewal(target, judge, { credential, renewed, renewedAtMs, when })
    }),
  ])
}

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
