import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  authenticate,
  isLost,
  isServed,
  isServedWithWitness,
  LOST,
  mustServe,
  takeTicket,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { getCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { CannotJudge, CannotProbe, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import {
  type Age,
  judgeEnd,
  judgeRenewal,
  OLD_MS,
  openAuthenticated,
  startAge,
  YOUNG_MS,
} from './feed-ticket-checks.ts'

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

const RENEWAL = 'ws.ticket.renewal'
const STEP_MS = 1000
/** Unevenly spaced, so that a restart that goes from node to node does not end sockets of the same age. */
const OPENED_AT_MS = [0, 3000, 8000]
/** Ends are seen at the next step, which may be late by a response. */
const SAME_MS = 2000
const SILENT_MS_MAX = 3000

type Watched = { feed: Feed; openedMs: number; servedMs: number; endedMs?: number; isRenewed?: true }

type Cuts = {
  credential: Credential
  lost: Feed
  /** Age of the renewal (default: at once). */
  renewMs?: number
  /** Until this age. */
  lastMs?: number
}

/** For sockets that end with their first tickets: the renewals come late enough to keep them for longer. */
export const WITH_FIRST_TICKET = { renewMs: 40_000, lastMs: 70_000 }

/**
 * For sockets that are lost, which can happen to any socket. Opens three more at different times and keeps them busy and
 * renewed: an outage ends them at the same moment, and a proxy ends silent ones. Fails if each is cut at the same age, while a
 * new socket is served.
 */
export async function judgeCuts(target: Target, judge: Judge, options: Cuts): Promise<void> {
  const { credential, lost } = options
  await unlessCannot(async () => {
    const sockets = await watchSockets(target, options)
    const evidence = sockets.flatMap(({ feed }) => feed.evidence().slice(-3))
    const livesMs = sockets.map(({ openedMs, endedMs = Number.NaN }) => endedMs - openedMs)
    const spreadMs = Math.max(...livesMs) - Math.min(...livesMs)
    for (const { feed } of sockets) feed.close()
    if (!sockets.every(isCut) || !(spreadMs <= SAME_MS)) return
    await mustServe(target, credential)
    const seconds = Math.round(Math.min(...livesMs) / 1000)
    judge.fail(RENEWAL, `${livesMs.length} sockets are cut ${seconds} s after each was opened`, evidence)
  })
  judge.inconclusive(RENEWAL, LOST, lost.evidence())
}

/** Lost while it was in use, after a renewal. */
function isCut({ feed, servedMs, isRenewed, endedMs = Number.NaN }: Watched): boolean {
  return isRenewed === true && isLost(feed) && endedMs - servedMs <= SILENT_MS_MAX
}

async function watchSockets(
  target: Target,
  { credential, renewMs = 0, lastMs = YOUNG_MS }: Cuts,
): Promise<Watched[]> {
  const age = startAge(target)
  const sockets: Watched[] = []
  const isOver = () => sockets.length === OPENED_AT_MS.length && sockets.every(({ feed }) => feed.closed())
  const use = async (one: Watched) => {
    if (one.endedMs !== undefined) return
    const served = await isServed(one.feed, STEP_MS)
    if (one.feed.closed()) one.endedMs = age.ms()
    else if (served) one.servedMs = age.ms()
    if (one.isRenewed || !served || age.ms() - one.openedMs < renewMs) return
    one.feed.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
    one.isRenewed = true
  }
  for (let ms = 0; ms <= lastMs + Math.max(...OPENED_AT_MS); ms += STEP_MS) {
    await age.until(ms)
    await Promise.all(sockets.map(use))
    if (isOver()) break
    if (!OPENED_AT_MS.includes(ms)) continue
    const { ticket } = await takeTicket(target, credential)
    const openedMs = age.ms()
    sockets.push({ feed: await openAuthenticated(target, ticket), openedMs, servedMs: openedMs })
  }
  return sockets
}

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
