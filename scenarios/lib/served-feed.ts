import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from './cannot.ts'
import { type Feed, openFeed } from './feed.ts'
import { pickText } from './pick.ts'
import { redactor } from './redact.ts'
import { type Credential, type Reply, request } from './request.ts'

/**
 * Sends a ticket and waits until the server has dealt with it, as nothing but authenticate may be sent before. How it says
 * so is not stated: whatever frame comes will do, and else a second of quiet.
 */
export async function authenticate(feed: Feed, token: string): Promise<void> {
  const before = feed.received.length
  feed.send({ action: 'authenticate', token })
  await feed.until(() => feed.received.length > before, QUIET_MS)
}

/** Opens, authenticates, joins the rooms, and waits until the subscriptions are active. */
export async function openServedFeed(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<Feed> {
  const { ticket } = await takeTicket(target, credential)
  const feed = await openFeed(target)
  await authenticate(feed, ticket)
  for (const room of rooms) feed.send({ action: 'subscribe', room })
  if (!(await isServed(feed))) {
    feed.close()
    throw new CannotJudge(
      `a socket with a fresh ticket is not served: ${feed.evidence().slice(-3).join(' ')}`,
    )
  }
  return feed
}

/** A fresh ticket. Throws CannotJudge where there is none to be had. */
export async function takeTicket(
  target: Target,
  credential: Credential,
): Promise<{ ticket: string; reply: Reply }> {
  const reply = await request(target, { method: 'GET', path: '/auth/ws-ticket', credential })
  const ticket = pickText(reply.json, target.profile.choices.wsTicket.ticket)
  if (ticket === undefined)
    throw new CannotJudge(`no ticket to be had: ${reply.status} where the profile says it lies`)
  redactor.add(ticket)
  return { ticket, reply }
}

const ANSWER_MS = 5000
const QUIET_MS = 1000
const WITNESS_TIMES = 5
const WITNESS_MS_MIN = 300

/** Sends synchronize and waits for its answer: whether the socket is served. */
export async function isServed(feed: Feed, timeoutMs = ANSWER_MS): Promise<boolean> {
  const before = countControls(feed, 'synchronized')
  feed.send({ action: 'synchronize' })
  return await feed.until(() => countControls(feed, 'synchronized') > before, timeoutMs)
}

/** Why a silence tells nothing: the socket does not even answer a ping, and is not closed. */
export const MUTE = 'the socket answers no ping, so its silence tells nothing'

/**
 * As isServed, but sure of a no: a witness on a socket of its own asks the same, and this one has several times as long as
 * the witness waited. Undefined where it neither answers a ping nor closes: then silence tells nothing.
 */
export async function isServedBesideWitness(
  feed: Feed,
  options: { target: Target; credential: Credential; frame?: string },
): Promise<boolean | undefined> {
  const witness = await openServedFeed(options.target, options.credential, [])
  try {
    const before = countControls(feed, 'synchronized')
    feed.sendText(options.frame ?? '{"action":"synchronize"}')
    const askedMs = Date.now()
    if (!(await isServed(witness))) throw new CannotJudge('the witness is not served either')
    const waitMs = Math.max(WITNESS_MS_MIN, WITNESS_TIMES * (Date.now() - askedMs))
    const settled = await feed.settled(waitMs)
    const served = await feed.until(() => countControls(feed, 'synchronized') > before, waitMs)
    return served || settled || feed.closed() ? served : undefined
  } finally {
    witness.close()
  }
}

export function countControls(feed: Feed, control: string): number {
  return feed.received.filter((message) => message.control === control).length
}
