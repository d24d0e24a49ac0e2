import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import { isServed, mustServe, tryTwice, witnessFeed } from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { type Age, YOUNG_MS_MAX } from './feed-ticket-checks.ts'

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
