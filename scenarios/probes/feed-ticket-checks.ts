import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  authenticate,
  authenticatePatiently,
  isLost,
  isServed,
  isServedWithWitness,
  LOST,
  mustServe,
  throwIfRestarted,
  tryTwice,
  UNRESPONSIVE,
  witnessFeed,
} from '../lib/feed/served-feed.ts'
import { createRetryCheck } from '../lib/probe/retry-check.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'

/** Tickets last 60 s: probed 10 s before and 15 s after, to allow for clocks and latency. */
export const YOUNG_MS = 50_000
export const OLD_MS = 75_000
/** Maximum actual age, by this machine's clock, of a young ticket. */
const YOUNG_MS_MAX = 55_000

/** After a gateway restart, tries another of the old tickets, since the probe takes too long to run again. */
export async function judgeExpiry(
  target: Target,
  judge: Judge,
  { credential, old }: { credential: Credential; old: readonly string[] },
): Promise<void> {
  const again = createRetryCheck(target)
  for (const ticket of old) {
    try {
      return await judgeRefusal(target, judge, { credential, ticket })
    } catch (error) {
      if (!(error instanceof CannotJudge) || !again()) throw error
    }
  }
}

async function judgeRefusal(
  target: Target,
  judge: Judge,
  { credential, ticket }: { credential: Credential; ticket: string },
): Promise<void> {
  const late = await openFeed(target)
  await authenticatePatiently(late, ticket)
  const served = await isServedWithWitness(late, { target, credential })
  late.close()
  throwIfRestarted(late)
  if (served === undefined) judge.inconclusive('ws.ticket.expires-60s', UNRESPONSIVE, late.evidence())
  const seen = served ? 'authenticates after 75 s' : 'refused after 75 s'
  judge.that('ws.ticket.expires-60s', !served, seen, late.evidence())
}

/**
 * Tickets of one credential, to use when they are young and old, a socket that is never renewed, one to renew, and one to
 * renew with a secret that is no ticket.
 */
export type Taken = {
  credential: Credential
  young: string[]
  old: string[]
  idle: Feed
  renewed: Feed
  misled: Feed
  secret: string
  /** When the last of them was issued. */
  takenMs: number
}

export type Age = { ms(): number; until(ms: number): Promise<void> }

/** The age of tickets taken now, by the target's clock if it can be moved, else by this machine's. */
export function startAge(target: Target): Age {
  const startedMs = Date.now()
  let movedMs = 0
  const ms = () => (hasControl(target) ? movedMs : Date.now() - startedMs)
  return {
    ms,
    async until(ageMs) {
      movedMs += await elapse(target, Math.max(0, ageMs - ms()))
    },
  }
}

export async function openAuthenticated(target: Target, token: string): Promise<Feed> {
  const feed = await openFeed(target)
  await authenticate(feed, token)
  return feed
}

export async function judgeEnd(judge: Judge, idle: Feed, when = 'after 75 s'): Promise<void> {
  await idle.until(() => false, 2000)
  throwIfRestarted(idle)
  const closed = idle.closed()
  const ended = closed ? `closed with ${closed.code}` : `still open ${when}`
  judge.that('ws.ticket.ends-connection', closed !== undefined, ended, idle.evidence())
  idle.close()
}

/** `renewedAtMs`: age of its ticket when it was renewed. Closes the socket, unless it `stays`. Returns whether it is served. */
export async function judgeRenewal(
  target: Target,
  judge: Judge,
  options: { credential: Credential; renewed: Feed; renewedAtMs: number; when?: string; stays?: boolean },
): Promise<boolean> {
  const { credential, renewed, renewedAtMs, when = 'at 75 s', stays = false } = options
  const served = await isServed(renewed)
  if (served) judge.pass('ws.ticket.renewal', `served ${when}`)
  else if (isLost(renewed)) judge.inconclusive('ws.ticket.renewal', LOST, renewed.evidence())
  else if (renewedAtMs > YOUNG_MS_MAX)
    judge.inconclusive('ws.ticket.renewal', `renewed only at ${renewedAtMs} ms`)
  else {
    await mustServe(target, credential)
    judge.fail('ws.ticket.renewal', `not served ${when}`, renewed.evidence())
  }
  if (!stays) renewed.close()
  return served
}

/**
 * Only tickets are valid renewals: after anything else the connection ends, at once or with its ticket. If a new socket takes it
 * for a ticket too, other rules say so.
 */
export async function judgeMisled(
  target: Target,
  judge: Judge,
  { misled, secret }: { misled: Feed; secret: string },
): Promise<void> {
  await misled.until(() => false, 2000)
  throwIfRestarted(misled)
  if (misled.closed() === undefined) {
    const fresh = await openFeed(target)
    await authenticatePatiently(fresh, secret)
    const seen = 'still open after 75 s, renewed with a credential that is no ticket'
    if (!(await isServed(fresh))) judge.fail('ws.ticket.ends-connection', seen, misled.evidence())
    fresh.close()
  }
  misled.close()
}

/** A credential that is no ticket. */
export function secretOf(target: Target, credential: Credential): string {
  if ('bearer' in credential) return credential.bearer
  const { access } = target.profile.choices.cookies
  const cookies = new Map(credential.cookie.split('; ').map((one) => splitAt(one, one.indexOf('='))))
  return cookies.get(access ?? '') ?? credential.cookie
}

function splitAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Shorter than usual, so that the ticket of a second try is still young. */
const YOUNG_RESPONSE_MS = 3000

type Young = {
  credential: Credential
  young: string[]
  age: Pick<Age, 'ms'>
  /** A cut counts if four sockets end so, while others with new tickets are served. Takes 10 s and five tickets. */
  confirms?: boolean
}

/** Returns the socket if the ticket authenticates it. */
export async function judgeYoung(
  target: Target,
  judge: Judge,
  { credential, young, age, confirms = false }: Young,
): Promise<Feed | undefined> {
  const rule = 'ws.ticket.lives-60s'
  let oldestMs = 0
  const once = async (authenticate: (feed: Feed, token: string) => Promise<void>) => {
    const ticket = young.pop()
    if (ticket === undefined) throw new CannotJudge('no young ticket is left')
    const feed = await openFeed(target)
    oldestMs = Math.max(oldestMs, age.ms())
    await authenticate(feed, ticket)
    return { feed, served: await isServed(feed, YOUNG_RESPONSE_MS) }
  }
  const witness = confirms ? () => witnessFeed(target, credential) : undefined
  const { feed, served, persistent } = await tryTwice(once, witness)
  if (served) {
    judge.pass(rule, 'authenticates after 50 s')
    return feed
  }
  feed.close()
  if (oldestMs > YOUNG_MS_MAX) judge.inconclusive(rule, `the ticket was ${oldestMs} ms old by then`)
  else {
    await mustServe(target, credential)
    const kind = 'bearer' in credential ? 'an API token' : 'a session'
    const evidence = [...(persistent === undefined ? [] : [persistent]), ...feed.evidence()]
    judge.fail(
      rule,
      `a ticket of ${kind} does not authenticate after ${Math.round(oldestMs / 1000)} s`,
      evidence,
    )
  }
  return undefined
}
