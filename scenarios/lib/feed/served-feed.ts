import type { Target } from '../../../contract/scenario-config.ts'
import { pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'
import { clockHeld } from '../time/held-clock.ts'
import { CannotJudge, told } from '../verdict/cannot.ts'
import type { Judge } from '../verdict/judge.ts'
import { type Feed, openFeed } from './feed.ts'

/**
 * Sends a ticket and waits until the server has dealt with it, as nothing but authenticate may be sent before. How it says
 * so is not stated: whatever frame comes will do, and else a second of quiet. As the frame may be a greeting that was on its
 * way, an answer to a ping, which comes in order, has to follow.
 */
export async function authenticate(feed: Feed, token: string): Promise<void> {
  const before = feed.received.length
  feed.send({ action: 'authenticate', token })
  await feed.until(() => feed.received.length > before, QUIET_MS)
  await feed.settled(QUIET_MS)
}

/** As authenticate, for a server that takes longer over it: three seconds whatever frame comes, less only at a close. */
export async function authenticatePatiently(feed: Feed, token: string): Promise<void> {
  feed.send({ action: 'authenticate', token })
  await feed.until(() => false, PATIENCE_MS)
}

/** One try to be served on a socket of its own. */
type Try = { feed: Feed; served: boolean }

/** Of a socket that is lost at the same point each time, while witnesses live: the tries and witnesses, for evidence. */
export type Persistent = { persistent?: string }

/**
 * Tries twice to be served, on a socket each: a server may still be at the authenticate frame after a second of quiet, and
 * close on what comes too early. A try whose socket was lost is made again. Returns the last try; throws CannotJudge where
 * sockets are lost again and again, or the last one is mute. With a witness, a loss that persists beside it is no accident.
 */
export async function tryTwice<One extends Try>(
  once: (authenticate: (feed: Feed, token: string) => Promise<void>) => Promise<One>,
  witness?: () => Promise<{ served: boolean; told: string }>,
): Promise<One & Persistent> {
  const first = await once(authenticate)
  if (first.served) return first
  first.feed.close()
  for (let lost = 0; ; lost++) {
    const next = await once(authenticatePatiently)
    if (!next.served && (await isMute(next.feed))) throw new CannotJudge(MUTE)
    if (next.served || !isLost(next.feed)) return next
    if (witness !== undefined) return await confirmLoss(next, () => once(authenticatePatiently), witness)
    if (lost === LOST_MAX) throw new CannotJudge(`${LOST}, and so was the next, several times over`)
  }
}

async function confirmLoss<One extends Try>(
  first: One,
  again: () => Promise<One>,
  witness: () => Promise<{ served: boolean; told: string }>,
): Promise<One & Persistent> {
  const { outcome, last, told } = await confirm({
    first,
    errorOf: ({ feed, served }) => (served ? undefined : lossOf(feed)),
    again,
    witness,
  })
  if (outcome === 'open') throw new CannotJudge(`${LOST}: ${told}`)
  return outcome === 'persistent' ? { ...last, persistent: told } : last
}

/** How a socket ended, and at which point: the same words for the same loss. */
function lossOf(feed: Feed): string {
  const closed = feed.closed()
  const how = closed === undefined ? 'not served' : `closed with ${closed.code}`
  return `${how} after ${feed.lastSent()}`
}

/** Opens, authenticates, joins the rooms, waits until the subscriptions are active, and tells whether it came to that. */
export function tryFeed(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<Try & Persistent> {
  const once = (authenticate: (feed: Feed, token: string) => Promise<void>) =>
    clockHeld(async () => {
      const { ticket } = await takeTicket(target, credential)
      const feed = await openFeed(target)
      await authenticate(feed, ticket)
      for (const room of rooms) feed.send({ action: 'subscribe', room })
      return { feed, served: await isSynchronized(feed, ANSWER_MS) }
    })
  return tryTwice(once, () => witnessFeed(target, rooms.length === 0 ? undefined : credential))
}

/** A socket without rooms that is served; or, without a credential, one that was only opened and answers a ping. */
async function witnessFeed(
  target: Target,
  credential: Credential | undefined,
): Promise<{ served: boolean; told: string }> {
  const { ticket } = credential === undefined ? { ticket: undefined } : await takeTicket(target, credential)
  const witness = await openFeed(target)
  try {
    if (ticket === undefined) await witness.until(() => false, QUIET_MS)
    else await authenticatePatiently(witness, ticket)
    const served =
      ticket === undefined ? await witness.settled(PONG_MS) : await isSynchronized(witness, ANSWER_MS)
    const which = ticket === undefined ? 'a socket that was only opened' : 'a socket without rooms'
    return { served, told: `${which} ${served ? 'is served' : 'is not served either'}` }
  } finally {
    witness.close()
  }
}

/** As tryFeed, where anything else than being served leaves nothing to judge: throws CannotJudge. */
export async function openServedFeed(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<Feed> {
  const { feed, served, persistent } = await tryFeed(target, credential, rooms)
  if (served) return feed
  feed.close()
  const shown = persistent ?? feed.evidence().slice(-3).join(' ')
  throw new CannotJudge(`a socket with a fresh ticket is not served: ${shown}`)
}

/**
 * As openServedFeed, for the rule that the rooms can be joined: it fails where a socket that joins them is never served,
 * while one without rooms is.
 */
export async function openRooms(
  target: Target,
  credential: Credential,
  { judge, rule, rooms }: { judge: Judge; rule: string; rooms: readonly string[] },
): Promise<Feed> {
  let tried = await tryFeed(target, credential, rooms)
  if (!tried.served && tried.persistent === undefined) {
    // Refused twice: as often again, with a witness in between, is no accident either.
    tried.feed.close()
    await mustServe(target, credential)
    tried = await tryFeed(target, credential, rooms)
  }
  const { feed, served, persistent = 'a socket without rooms is served' } = tried
  if (served) return feed
  feed.close()
  const seen = `no socket that joins ${rooms[0]} is served`
  judge.fail(rule, seen, [persistent, ...feed.evidence()])
  throw new CannotJudge(seen)
}

/** Before a refusal is held against the target: throws CannotJudge where a socket is not served at its best either. */
export async function mustServe(target: Target, credential: Credential): Promise<void> {
  const witness = await openServedFeed(target, credential, [])
  witness.close()
}

/** A fresh ticket. Throws CannotJudge where there is none to be had, CannotProbe where the profile does not tell its place. */
export async function takeTicket(
  target: Target,
  credential: Credential,
): Promise<{ ticket: string; reply: Reply }> {
  const path = told(target.profile.choices.wsTicket.ticket, 'where a ticket lies')
  const reply = await request(target, { method: 'GET', path: '/auth/ws-ticket', credential })
  const ticket = pickText(reply.json, path)
  if (ticket === undefined)
    throw new CannotJudge(`no ticket to be had: ${reply.status} where the profile says it lies`)
  return { ticket, reply }
}

/** RFC 6455's registry: service restart. It may befall any socket during a deployment (specification, Delivery). */
export const RESTART_CODE = 1012

const ANSWER_MS = 5000
const QUIET_MS = 1000
const PATIENCE_MS = 3000
/** RFC 6455, section 7.4.1: no close frame came, so the network may have ended it as well as the server. */
const LOST_CODE = 1006
const LOST_MAX = 2
const WITNESS_TIMES = 5
const WITNESS_MS_MIN = 300
/** For the answer to a ping, which ends the wait: a busy machine may take longer over it than over the witness. */
const PONG_MS = 3000

/** Sends synchronize and waits for its answer: whether the socket is served. Throws CannotJudge at a restart of the gateway. */
export async function isServed(feed: Feed, timeoutMs = ANSWER_MS): Promise<boolean> {
  const served = await isSynchronized(feed, timeoutMs)
  if (!served) throwIfRestarted(feed)
  return served
}

function isSynchronized(feed: Feed, timeoutMs: number): Promise<boolean> {
  const before = countControls(feed, 'synchronized')
  feed.send({ action: 'synchronize' })
  return feed.until(() => countControls(feed, 'synchronized') > before, timeoutMs)
}

/** A close with 1012 says nothing of the rule in question. */
export function throwIfRestarted(feed: Feed): void {
  if (feed.closed()?.code === RESTART_CODE)
    throw new CannotJudge('the gateway was restarted meanwhile (1012)')
}

/** Whether the socket ended without a word, or by a restart: any may, so it takes several to say something of the server. */
export function isLost(feed: Feed): boolean {
  const code = feed.closed()?.code
  return code === LOST_CODE || code === RESTART_CODE
}

/** Open, and without an answer to a ping. */
export async function isMute(feed: Feed): Promise<boolean> {
  return !(await feed.settled(PONG_MS)) && feed.closed() === undefined
}

/** Why its end tells nothing. */
export const LOST = 'the socket was lost (1006, no close frame, or 1012), as may befall any'

/** Why a silence tells nothing: the socket does not even answer a ping, and is not closed. */
export const MUTE = 'the socket answers no ping, so its silence tells nothing'

/**
 * As isServed, but sure of a no: a witness on a socket of its own asks the same, and this one has several times as long as
 * the witness waited. Undefined where it neither answers a ping nor closes: then silence tells nothing.
 */
export async function isServedBesideWitness(
  feed: Feed,
  options: BesideWitness,
): Promise<boolean | undefined> {
  const [served] = await areServedBesideWitness([feed], options)
  return served
}

type BesideWitness = { target: Target; credential: Credential; frame?: string }

/** As isServedBesideWitness, for several sockets and one witness. */
export async function areServedBesideWitness(
  feeds: readonly Feed[],
  options: BesideWitness,
): Promise<(boolean | undefined)[]> {
  const witness = await openServedFeed(options.target, options.credential, [])
  try {
    const before = feeds.map((feed) => countControls(feed, 'synchronized'))
    for (const feed of feeds) feed.sendText(options.frame ?? '{"action":"synchronize"}')
    const askedMs = Date.now()
    if (!(await isServed(witness))) throw new CannotJudge('the witness is not served either')
    const waitMs = Math.max(WITNESS_MS_MIN, WITNESS_TIMES * (Date.now() - askedMs))
    const look = async (feed: Feed, index: number) => {
      const settled = await feed.settled(Math.max(waitMs, PONG_MS))
      const served = await feed.until(
        () => countControls(feed, 'synchronized') > (before[index] ?? 0),
        waitMs,
      )
      return served || settled || feed.closed() ? served : undefined
    }
    return await Promise.all(feeds.map(look))
  } finally {
    witness.close()
    // What comes next comes after it: else a timeline would have the two in either order.
    await witness.until(() => false, CLOSE_MS)
  }
}

/** More than an exchange takes that answers a close at all. */
const CLOSE_MS = 1000

/** How many controls of the kind the socket has received so far. */
export function countControls(feed: Feed, control: string): number {
  return feed.received.filter((message) => message.control === control).length
}
