import { LOST_CODES } from '../../../contract/close-codes.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'
import { withMiningPaused } from '../time/paused-mining.ts'
import type { Judge } from '../verdict/judge.ts'
import { CannotJudge, requireChoice } from '../verdict/judge.ts'
import { type Feed, openFeed } from './feed.ts'

/**
 * Sends a ticket and waits until the server has handled it, because no other frame may precede
 * authentication. The specification defines no confirmation, so any frame counts, else one second of silence.
 * That frame may be a greeting, so a pong, which comes in order, has to follow.
 */
export async function authenticate(feed: Feed, token: string): Promise<void> {
  const before = feed.received.length
  feed.send({ action: 'authenticate', token })
  await feed.until(() => feed.received.length > before, QUIET_MS)
  await feed.settled(QUIET_MS)
}

/** Like authenticate, for slow servers: waits three seconds regardless of frames, less only on a close. */
export async function authenticatePatiently(feed: Feed, token: string): Promise<void> {
  feed.send({ action: 'authenticate', token })
  await feed.until(() => false, PATIENCE_MS)
}

/** One attempt to be served on its own socket. */
type Try = { feed: Feed; served: boolean }

/**
 * Set if the socket was lost at the same point each time while witness sockets worked: attempts and
 * witnesses, as evidence.
 */
export type Persistent = { persistent?: string }

/**
 * Tries twice to be served, each time on a new socket: a server may still process the authenticate frame
 * after one second of silence, and close on early frames. Lost sockets are retried. Returns the last attempt.
 * Throws LostRepeatedly if they are lost again, and CannotJudge if the last one is mute. With a witness, a persistent
 * loss counts as a result, and, once confirmed, as one for later sockets of the same `kind`.
 */
export async function tryTwice<One extends Try>(
  once: (authenticate: (feed: Feed, token: string) => Promise<void>) => Promise<One>,
  witness?: () => Promise<{ served: boolean; explanation: string }>,
  kind?: string,
): Promise<One & Persistent> {
  const first = await once(authenticate)
  if (first.served) return first
  first.feed.close()
  for (let lost = 0; ; lost++) {
    const next = await once(authenticatePatiently)
    if (!next.served && (await isUnresponsive(next.feed))) throw new CannotJudge(UNRESPONSIVE)
    if (next.served || !isLost(next.feed)) return next
    if (witness !== undefined)
      return await confirmLoss({ first: next, again: () => once(authenticatePatiently), witness, kind })
    if (lost === LOST_MAX) throw new LostRepeatedly(`${LOST}, repeatedly`)
  }
}

/** Thrown without a witness: a server may refuse by a cut, but any socket may be cut. */
export class LostRepeatedly extends CannotJudge {}

/** Confirmed losses of this VU by the kind of socket and how it ended: each probe that meets one again has no time for more. */
const confirmed: Record<string, string> = {}

async function confirmLoss<One extends Try>(loss: {
  first: One
  again: () => Promise<One>
  witness: () => Promise<{ served: boolean; explanation: string }>
  kind: string | undefined
}): Promise<One & Persistent> {
  const { first, again, witness, kind } = loss
  const known = `${kind}: ${describeLoss(first.feed)}`
  const before = kind === undefined ? undefined : confirmed[known]
  // In an outage, a known loss proves nothing either.
  const saw = before === undefined ? undefined : await witness()
  if (saw?.served) return { ...first, persistent: `${saw.explanation}; before, ${before}` }
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: ({ feed, served }) => (served ? undefined : describeLoss(feed)),
    again,
    witness,
  })
  if (outcome === 'open') throw new CannotJudge(`${LOST}: ${explanation}`)
  if (outcome === 'gone') return last
  confirmed[known] = explanation
  return { ...last, persistent: explanation }
}

/** How and after which frame a socket ended. Equal losses give equal texts. */
function describeLoss(feed: Feed): string {
  const closed = feed.closed()
  const how = closed === undefined ? 'not served' : `closed with ${closed.code}`
  return `${how} after ${feed.lastSent()}`
}

/** Opens a socket, authenticates, joins the rooms and synchronizes. Retries once. */
export function tryFeed(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<Try & Persistent> {
  const once = (authenticate: (feed: Feed, token: string) => Promise<void>) =>
    withMiningPaused(async () => {
      const { ticket } = await takeTicket(target, credential)
      const feed = await openFeed(target)
      await authenticate(feed, ticket)
      for (const room of rooms) feed.send({ action: 'subscribe', room })
      return { feed, served: await isSynchronized(feed, RESPONSE_MS) }
    })
  const kinds = [...new Set(rooms.map((room) => room.replace(/:.*/, '')))].sort()
  const witness = () => witnessFeed(target, rooms.length === 0 ? undefined : credential)
  return tryTwice(once, witness, `a socket in rooms ${kinds.join(', ')}`)
}

/** Opens a socket without rooms, or, without a credential, one that only has to respond to a ping. */
export async function witnessFeed(
  target: Target,
  credential: Credential | undefined,
): Promise<{ served: boolean; explanation: string }> {
  const { ticket } = credential === undefined ? { ticket: undefined } : await takeTicket(target, credential)
  const witness = await openFeed(target)
  try {
    if (ticket === undefined) await witness.until(() => false, QUIET_MS)
    else await authenticatePatiently(witness, ticket)
    const served =
      ticket === undefined ? await witness.settled(PONG_MS) : await isSynchronized(witness, RESPONSE_MS)
    const which = ticket === undefined ? 'a socket that was only opened' : 'a socket without rooms'
    return { served, explanation: `${which} ${served ? 'is served' : 'is not served either'}` }
  } finally {
    witness.close()
  }
}

/** Like tryFeed, but throws CannotJudge if the socket is not served. */
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
 * Like openServedFeed, and fails the rule if a socket that joins the rooms is never served although one
 * without rooms is.
 */
export async function openRooms(
  target: Target,
  credential: Credential,
  { judge, rule, rooms }: { judge: Judge; rule: string; rooms: readonly string[] },
): Promise<Feed> {
  let tried = await tryFeed(target, credential, rooms)
  if (!tried.served && tried.persistent === undefined) {
    // Rejected twice. Two more rejections with a served witness in between rule out chance.
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

/**
 * Throws CannotJudge if a plain socket is not served either, so a rejection cannot be blamed on the target.
 */
export async function mustServe(target: Target, credential: Credential): Promise<void> {
  const witness = await openServedFeed(target, credential, [])
  witness.close()
}

/**
 * Throws CannotJudge if no ticket is issued, CannotProbe if the profile does not name the field that holds
 * it.
 */
export async function takeTicket(
  target: Target,
  credential: Credential,
): Promise<{ ticket: string; reply: Reply }> {
  const path = requireChoice(target.profile.choices.wsTicket.ticket, 'the path of a ticket')
  const reply = await request(target, { method: 'GET', path: '/auth/ws-ticket', credential })
  const ticket = pickText(reply.json, path)
  if (ticket === undefined)
    throw new CannotJudge(`no ticket in the response at choices.wsTicket.ticket: ${reply.status}`)
  return { ticket, reply }
}

/**
 * RFC 6455 registry: service restart. Any socket may get it during a deployment (specification, Delivery).
 */
export const RESTART_CODE = 1012

const RESPONSE_MS = 5000
const QUIET_MS = 1000
const PATIENCE_MS = 3000
const LOST_MAX = 2
const WITNESS_TIMES = 5
const WITNESS_MS_MIN = 300
/** A pong ends the wait. On a busy machine it may take longer than the witness. */
const PONG_MS = 3000

/** Sends synchronize and waits for `synchronized`. Throws CannotJudge if the gateway restarts. */
export async function isServed(feed: Feed, timeoutMs = RESPONSE_MS): Promise<boolean> {
  const served = await isSynchronized(feed, timeoutMs)
  if (!served) throwIfRestarted(feed)
  return served
}

function isSynchronized(feed: Feed, timeoutMs: number): Promise<boolean> {
  const before = countControls(feed, 'synchronized')
  feed.send({ action: 'synchronize' })
  return feed.until(() => countControls(feed, 'synchronized') > before, timeoutMs)
}

/** A close with 1012 proves nothing about the rule. */
export function throwIfRestarted(feed: Feed): void {
  if (feed.closed()?.code === RESTART_CODE)
    throw new CannotJudge('the gateway restarted during the check (1012)')
}

/** Lost without a close frame, by a restart or by a failure. Each can happen to any socket, so only repeated losses count. */
export function isLost(feed: Feed): boolean {
  const closed = feed.closed()
  return closed !== undefined && LOST_CODES.includes(closed.code)
}

/** Open, but does not respond to a ping. */
export async function isUnresponsive(feed: Feed): Promise<boolean> {
  return !(await feed.settled(PONG_MS)) && feed.closed() === undefined
}

export const LOST = `the socket was lost (closed with one of ${LOST_CODES.join(', ')}), which can happen to any socket`

export const UNRESPONSIVE = 'the socket does not respond to a ping, so its silence proves nothing'

/**
 * Like isServed, but a `false` is certain: a witness on its own socket sends the same, and this one gets
 * several times the witness's response time. Undefined if it neither responds to a ping nor closes; then
 * silence proves nothing.
 */
export async function isServedWithWitness(feed: Feed, options: WitnessOptions): Promise<boolean | undefined> {
  const [served] = await areServedWithWitness([feed], options)
  return served
}

type WitnessOptions = { target: Target; credential: Credential; frame?: string }

export async function areServedWithWitness(
  feeds: readonly Feed[],
  options: WitnessOptions,
): Promise<(boolean | undefined)[]> {
  const witness = await openServedFeed(options.target, options.credential, [])
  try {
    const before = feeds.map((feed) => countControls(feed, 'synchronized'))
    for (const feed of feeds) feed.sendText(options.frame ?? '{"action":"synchronize"}')
    const sentMs = Date.now()
    if (!(await isServed(witness))) throw new CannotJudge('the witness is not served either')
    const waitMs = Math.max(WITNESS_MS_MIN, WITNESS_TIMES * (Date.now() - sentMs))
    const check = async (feed: Feed, index: number) => {
      const settled = await feed.settled(Math.max(waitMs, PONG_MS))
      const served = await feed.until(
        () => countControls(feed, 'synchronized') > (before[index] ?? 0),
        waitMs,
      )
      return served || settled || feed.closed() ? served : undefined
    }
    return await Promise.all(feeds.map(check))
  } finally {
    witness.close()
    // Keeps later events after this close, so the timeline has one order.
    await witness.until(() => false, CLOSE_MS)
  }
}

/** Longer than any exchange that confirms closes takes. */
const CLOSE_MS = 1000

export function countControls(feed: Feed, control: string): number {
  return feed.received.filter((message) => message.control === control).length
}
