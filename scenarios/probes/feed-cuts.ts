import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { isLost, isServed, LOST, mustServe, takeTicket } from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { openAuthenticated, startAge, YOUNG_MS } from './feed-ticket-checks.ts'

const RULE = 'ws.ticket.renewal'
const STEP_MS = 1000
/** Unevenly spaced, so that a restart that goes from node to node does not end sockets of the same age. */
const OPENED_AT_MS = [0, 3000, 8000]
/** Ends are seen at the next step, which may be late by a response. */
const SAME_MS = 2000
const SILENT_MS_MAX = 3000

type Watched = { feed: Feed; openedMs: number; servedMs: number; endedMs?: number; isRenewed?: true }

/**
 * For sockets that are lost before they could be renewed, which can happen to any socket. Opens three more at different times and
 * keeps them busy and renewed: an outage ends them at the same moment, and a proxy ends silent ones. Fails if each is cut at the
 * same age, while a new socket is served.
 */
export async function judgeCuts(
  target: Target,
  judge: Judge,
  { credential, lost }: { credential: Credential; lost: Feed },
): Promise<void> {
  await unlessCannot(async () => {
    const sockets = await watchSockets(target, credential)
    const evidence = sockets.flatMap(({ feed }) => feed.evidence().slice(-3))
    const livesMs = sockets.map(({ openedMs, endedMs = Number.NaN }) => endedMs - openedMs)
    const spreadMs = Math.max(...livesMs) - Math.min(...livesMs)
    for (const { feed } of sockets) feed.close()
    if (!sockets.every(isCut) || !(spreadMs <= SAME_MS)) return
    await mustServe(target, credential)
    const seconds = Math.round(Math.min(...livesMs) / 1000)
    judge.fail(RULE, `${livesMs.length} sockets are cut ${seconds} s after each was opened`, evidence)
  })
  judge.inconclusive(RULE, LOST, lost.evidence())
}

/** Lost while it was in use, after a renewal. */
function isCut({ feed, servedMs, isRenewed, endedMs = Number.NaN }: Watched): boolean {
  return isRenewed === true && isLost(feed) && endedMs - servedMs <= SILENT_MS_MAX
}

async function watchSockets(target: Target, credential: Credential): Promise<Watched[]> {
  const age = startAge(target)
  const sockets: Watched[] = []
  const isOver = () => sockets.length === OPENED_AT_MS.length && sockets.every(({ feed }) => feed.closed())
  const use = async (one: Watched) => {
    if (one.endedMs !== undefined) return
    const served = await isServed(one.feed, STEP_MS)
    if (one.feed.closed()) one.endedMs = age.ms()
    else if (served) one.servedMs = age.ms()
    if (one.isRenewed || !served) return
    one.feed.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
    one.isRenewed = true
  }
  for (let ms = 0; ms <= YOUNG_MS + Math.max(...OPENED_AT_MS); ms += STEP_MS) {
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
