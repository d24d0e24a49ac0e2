import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  areServedWithWitness,
  authenticatePatiently,
  isServed,
  isServedWithWitness,
  mustServe,
  takeTicket,
  tryFeed,
  tryTwice,
  UNRESPONSIVE,
  witnessFeed,
} from '../lib/feed/served-feed.ts'
import { withBearer } from '../lib/identity/api-token.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { getCredential, isAlive, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { byItself, type Judge } from '../lib/verdict/judge.ts'
import { elapse, nowMs } from '../lib/world/control.ts'

const BY_SESSION = 'ws.ticket.by-session'
const BY_API_TOKEN = 'ws.ticket.by-api-token'

export const ticketAccess: Probe = {
  rules: ['ws.ticket.needs-credentials', BY_SESSION, BY_API_TOKEN],
  world: 'main',
  async run(target, judge) {
    judgeBare(judge, await requestTicket(target))
    await byItself(judge, BY_API_TOKEN, () =>
      withBearer(target, { use: 'feed', prefer: 'given' }, (credential) =>
        judgeKind(target, judge, { rule: BY_API_TOKEN, credential }),
      ),
    )
    await withSession(target, walletFor(target, 'feed'), (session) =>
      judgeKind(target, judge, { rule: BY_SESSION, credential: getCredential(session) }),
    )
  },
}

/** A 404 or a redirect says nothing about credentials. */
function judgeBare(judge: Judge, reply: Reply): void {
  const rule = 'ws.ticket.needs-credentials'
  const isAnswer = isSuccess(reply) || (reply.status >= 400 && reply.status !== 404)
  const seen = `${reply.status} without credentials`
  if (isAnswer) judge.that(rule, reply.status === 401, seen, [reply.evidence()])
  else judge.inconclusive(rule, `neither served nor rejected: ${seen}`, [reply.evidence()])
}

async function judgeKind(
  target: Target,
  judge: Judge,
  { rule, credential }: { rule: string; credential: Credential },
): Promise<void> {
  const { alive, reply: read } = await isAlive(target, credential)
  if (!alive) return judge.inconclusive(rule, `the credential is rejected: ${read.evidence()}`)
  // Twice, since each renewal takes a ticket.
  for (const which of ['first', 'second'])
    if (!(await getsTicket(target, judge, { rule, credential, which }))) return
  const { feed, served } = await tryFeed(target, credential, [])
  feed.close()
  if (served) return judge.pass(rule, 'a socket authenticated with it is served')
  // If no ticket works at all, another rule fails.
  const other = await readCredential(target)
  if ('bearer' in other === 'bearer' in credential) {
    return judge.inconclusive(rule, 'not served, and no other kind of credential to compare with')
  }
  await mustServe(target, other)
  judge.fail(rule, 'a socket authenticated with it is not served', feed.evidence())
}

/** A persistent error instead of a ticket breaks the rule if a read with the same credential is served. */
async function getsTicket(
  target: Target,
  judge: Judge,
  { rule, credential, which }: { rule: string; credential: Credential; which: string },
): Promise<boolean> {
  const again = () => requestTicket(target, credential)
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await again(),
    describeError: (reply) => (isSuccess(reply) ? undefined : `${reply.status} instead of a ticket`),
    again,
    witness: async () => {
      const { alive, reply } = await isAlive(target, credential)
      return { served: alive, explanation: `a read with the same credential -> ${reply.status}` }
    },
  })
  const seen = `the ${which} ticket: ${explanation}`
  if (outcome === 'persistent') judge.fail(rule, seen, [last.evidence()])
  else if (outcome === 'open') judge.inconclusive(rule, seen, [last.evidence()])
  return outcome === 'gone'
}

function requestTicket(target: Target, credential?: Credential) {
  return request(target, { method: 'GET', path: '/auth/ws-ticket', credential })
}

/** The 5 s in which a socket has to authenticate. */
export const authenticateDeadline: Probe = {
  rules: ['ws.auth.within-5s', 'ws.auth.deadline-5s'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    await byItself(judge, 'ws.auth.within-5s', () => judgePrompt(target, judge, credential))
    await judgeTardy(target, judge, credential)
  },
}

/** Authenticates after 4 s. A cut counts if four sockets end so, while others that authenticate at once are served. */
export async function judgePrompt(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const rule = 'ws.auth.within-5s'
  // Repeated tries may overlap, and each moves the clock.
  let longestMs = 0
  const once = async (authenticate: (feed: Feed, token: string) => Promise<void>) => {
    const { ticket } = await takeTicket(target, credential)
    const [startedMs, clockMs] = [Date.now(), await nowMs(target)]
    const feed = await openFeed(target)
    // The frame takes no longer to arrive than the socket took to open.
    const openedMs = Date.now() - startedMs
    const waitedMs = await elapse(target, 4000)
    longestMs = Math.max(longestMs, openedMs + waitedMs, (await nowMs(target)) - clockMs)
    await authenticate(feed, ticket)
    return { feed, served: await isServed(feed) }
  }
  const { feed, served, persistent = '' } = await tryTwice(once, () => witnessFeed(target, credential))
  feed.close()
  if (served) return judge.pass(rule, 'served')
  if (longestMs > PROMPT_MS_MAX) return judge.inconclusive(rule, `the wait took ${longestMs} ms`)
  await mustServe(target, credential)
  judge.fail(rule, 'not served', [...(persistent === '' ? [] : [persistent]), ...feed.evidence()])
}

/** Sent by then, a frame arrives within 5 s. */
const PROMPT_MS_MAX = 4500

/** Less than 5 s, so that they would extend a deadline that counts from the last frame until they end. */
const FRAME_EVERY_MS = 3000
const FRAMES = 3
/** Allows 5 s for clocks, and for a server that looks for such sockets from time to time. */
const TARDY_MS = 10_000

/** The sockets that are not silent, by their messages. */
const OTHERS = [
  { what: 'synchronize', text: JSON.stringify({ action: 'synchronize' }) },
  { what: 'an unknown action', text: JSON.stringify({ action: 'none' }) },
  { what: 'text that is not JSON', text: '{' },
  { what: 'pings', text: undefined },
]

/** A server that looks for such sockets from time to time may take one after 8 s, but not each time. */
const LATE_MS = 8000
const LATE_TIMES = 3

/** Returns the evidence if more sockets that were silent for 8 s are served, each of them. */
async function findLate(target: Target, credential: Credential): Promise<string[] | undefined> {
  let evidence: string[] = []
  for (let time = 0; time < LATE_TIMES; time++) {
    const feed = await openFeed(target)
    await elapse(target, LATE_MS)
    const { ticket } = await takeTicket(target, credential)
    await authenticatePatiently(feed, ticket)
    const served = await isServedWithWitness(feed, { target, credential })
    evidence = feed.evidence()
    feed.close()
    if (!served) return undefined
  }
  return evidence
}

/**
 * Authenticates after 10 s: a socket that was silent until then, and some that had sent something else every 3 s. Another one that
 * was silent authenticates after 8 s.
 */
export async function judgeTardy(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const rule = 'ws.auth.deadline-5s'
  const feeds = await Promise.all([undefined, ...OTHERS].map(() => openFeed(target)))
  const busy = feeds.slice(1)
  const early = await openFeed(target)
  for (let frame = 0; frame < FRAMES; frame++) {
    const sinceMs = FRAME_EVERY_MS * frame
    const isDue = LATE_MS > sinceMs && LATE_MS < sinceMs + FRAME_EVERY_MS
    if (isDue) {
      await elapse(target, LATE_MS - sinceMs)
      early.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
      await early.settled(SETTLE_MS)
    }
    await elapse(target, isDue ? sinceMs + FRAME_EVERY_MS - LATE_MS : FRAME_EVERY_MS)
    for (const [index, { text }] of OTHERS.entries()) if (text !== undefined) busy[index]?.sendText(text)
    // Each sends a ping, too.
    await Promise.all(busy.map((feed) => feed.settled(SETTLE_MS)))
  }
  await elapse(target, TARDY_MS - FRAMES * FRAME_EVERY_MS)
  const tokens = await Promise.all(feeds.map(() => takeTicket(target, credential)))
  await Promise.all(feeds.map((feed, index) => authenticatePatiently(feed, tokens[index]?.ticket ?? '')))
  const [isEarlyServed, ...served] = await areServedWithWitness([early, ...feeds], { target, credential })
  const ends = feeds.map((feed) => feed.closed())
  for (const feed of [early, ...feeds]) feed.close()
  const late = feeds.find((_, index) => served[index])
  const evidence = feeds.flatMap((feed) => feed.evidence())
  if (late) {
    const other = OTHERS[busy.indexOf(late)]?.what
    return judge.fail(rule, other ? `served, after ${other}` : 'served', late.evidence())
  }
  const after8s = isEarlyServed ? await findLate(target, credential) : undefined
  if (after8s) return judge.fail(rule, `served after ${LATE_MS / 1000} s, ${LATE_TIMES + 1} times`, after8s)
  if (served.includes(undefined)) return judge.inconclusive(rule, UNRESPONSIVE, evidence)
  judge.pass(rule, ends.map((end) => (end ? `closed with ${end.code}` : 'not served')).join(', '), evidence)
}

const SETTLE_MS = 1000
