import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { authenticate, takeTicket } from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { type Age, judgeEnd, judgeRenewal, OLD_MS, YOUNG_MS } from './feed-ticket-checks.ts'

export type LongLived = {
  credential: Credential
  age: Age
  /** Renewed once, at `renewedAtMs`, if it was served later. */
  renewed: Feed | undefined
  /** Renewed at `renewedAtMs`; gets a second renewal. */
  twice: Feed
  /** Authenticated by then; gets a renewal with `expired`. */
  stale: Feed
  renewedAtMs: number
  expired: string | undefined
}

/** The ends of connections that were renewed: call when the tickets of before the renewals have expired. */
export async function judgeLongLived(target: Target, judge: Judge, options: LongLived): Promise<void> {
  const { credential, age, renewed, twice, stale, renewedAtMs, expired } = options
  // A server may refuse it at once: the connection then ends now, or with its ticket.
  const isMisled = expired !== undefined && stale.closed() === undefined
  if (isMisled) await authenticate(stale, expired)

  await age.until(renewedAtMs + YOUNG_MS)
  const isOpen = twice.closed() === undefined
  await unlessCannot(async () => {
    if (isOpen) await authenticate(twice, (await takeTicket(target, credential)).ticket)
  })
  const agoMs = age.ms() - renewedAtMs

  await age.until(renewedAtMs + OLD_MS)
  const again = {
    renewed: twice,
    renewedAtMs: Math.max(renewedAtMs, agoMs),
    when: 'after the second renewal',
  }
  await Promise.all([
    renewed && unlessCannot(() => judgeEnd(judge, renewed, '75 s after its renewal')),
    isMisled &&
      unlessCannot(() =>
        judgeEnd(judge, stale, '75 s after its ticket was issued, renewed with an expired one'),
      ),
    isOpen && unlessCannot(async () => void (await judgeRenewal(target, judge, { credential, ...again }))),
  ])
  for (const feed of [renewed, twice, stale]) feed?.close()
}
