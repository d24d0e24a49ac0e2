import type { Target } from '../../../contract/scenario-config.ts'
import { listEvents, readField } from '../feed/events.ts'
import type { Feed, FeedMessage } from '../feed/feed.ts'
import { openServedFeed, tryFeed } from '../feed/served-feed.ts'
import { readCredential } from '../identity/credential.ts'
import { pickText } from '../pick.ts'
import { type Credential, request } from '../requests/request.ts'
import { walkPages } from '../requests/walk.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge, type Judge } from '../verdict/judge.ts'
import { advanceChain, control, elapseLong } from '../world/control.ts'
import { keepServed } from '../world/keep-served.ts'
import { outcome } from './run-case.ts'

export type Following = { target: Target; credential: Credential; rooms: readonly string[] }

/** A client of a case that follows rooms on one socket, and shows what it got. */
export type Follower = Following & { feed: Feed }

/**
 * Returns the API token for this client number, or the shared read credential when there are not enough
 * tokens.
 */
export async function readClientCredential(target: Target, place: number): Promise<Credential> {
  const token = target.apiTokens[place]
  return token === undefined ? await readCredential(target) : { bearer: token }
}

/** The connection procedure of the specification: ticket, authenticate, subscribe, synchronize, `synchronized`. */
export async function follow({ target, credential, rooms }: Following): Promise<Follower> {
  return { target, credential, rooms, feed: await openServedFeed(target, credential, rooms) }
}

/** Like follow, but a socket that is not served with a fresh ticket fails the rule. */
export async function followOrFail(
  following: Following,
  judge: Judge,
  rule: 'ws.auth.ticket' | 'ws.sync.answered',
): Promise<Follower> {
  const { feed, served } = await tryFeed(following.target, following.credential, following.rooms)
  if (served) return { ...following, feed }
  // A closed socket could not respond.
  const isFailure = rule === 'ws.auth.ticket' || feed.closed() === undefined
  if (isFailure) judge.fail(rule, 'no response to synchronize', feed.evidence())
  throw new CannotJudge('no socket is served')
}

/** Closes the sockets from the exchange if it has a control API, otherwise from the client. */
export async function loseSockets(target: Target, followers: readonly Follower[]): Promise<void> {
  if (hasControl(target)) await control(target, '/gateway/restart')
  for (const { feed } of followers) await leave({ feed })
}

/** Closes the socket and waits for the close to reach the exchange. */
export async function leave({ feed }: Pick<Follower, 'feed'>): Promise<void> {
  feed.close()
  await feed.until(() => false, CLOSE_MS)
}

const CLOSE_MS = 5000

export function heard({ target, feed, rooms }: Follower): FeedMessage[] {
  return listEvents(target, feed, rooms)
}

/**
 * Lets the chain advance until `done` returns true, and keeps every socket alive. Returns the last value of
 * `done`.
 */
export async function advanceMarket(
  followers: readonly Follower[],
  options: { done: () => boolean; blocksMax?: number; waitMsMax?: number },
): Promise<boolean> {
  const { done, blocksMax = 80, waitMsMax = 60_000 } = options
  const [first] = followers
  if (!first) return done()
  const keep = await Promise.all(
    followers.map(({ target, credential, feed }) => keepServed(target, { credential, feeds: [feed] })),
  )
  const eachTurn = async () => {
    for (const renew of keep) await renew()
  }
  return await advanceChain(first.target, { done, eachTurn, blocksMax, waitMsMax })
}

/**
 * Reads the pool list and the first followed pool over REST. Both are public; the credential distinguishes
 * clients at one address.
 */
export async function refetch({ target, credential, rooms }: Following): Promise<void> {
  const query = { limit: '10' }
  await request(target, { method: 'GET', path: '/explore/pools', query, credential })
  const key = rooms[0]?.replace(/^[^:]*:/, '')
  if (key === undefined) return
  const path = `/pools/${encodeURIComponent(key)}/stats`
  await request(target, { method: 'GET', path, route: '/pools/{key}/stats', credential })
}

/** Longer than any client needs to react. */
const REACTION_MS = 35_000

/** Lets time pass without events, to show what a client fails to do. */
export async function timePasses(target: Target): Promise<void> {
  if (hasControl(target)) await elapseLong(target, REACTION_MS)
}

/** Prices that a client shows, by pool key. */
type Picture = ReadonlyMap<string, string>

const ROWS_MAX = 200

/**
 * Reads the pools as this client: without its credential, the observer would have to take it for the read of any program
 * at the same address.
 */
export async function loadPicture({
  target,
  credential,
}: Pick<Following, 'target' | 'credential'>): Promise<Picture> {
  const { rows } = await walkPages(target, {
    path: '/explore/pools',
    limit: 100,
    credential,
    rowsMax: ROWS_MAX,
  })
  return new Map(rows.map((row) => [pickText(row, 'key') ?? '', pickText(row, 'price') ?? 'unknown']))
}

/**
 * Compares the client's picture with `now`, which a witness read from REST, the source of truth, and reports how many
 * pools differ. A read of its own would be a refetch.
 */
export function reportGhosts(
  follower: Follower,
  { picture, keys, now }: { picture: Picture; keys: readonly string[]; now: Picture },
): void {
  const { target } = follower
  const { pool } = target.profile.choices.events
  const received = new Set(heard(follower).map((message) => readField(message, pool) ?? ''))
  const ghosts = ghostsIn(picture, { now, keys, received })
  const [first = ''] = ghosts
  const shown =
    ghosts.length === 0 ? '' : `: it shows ${picture.get(first)} for ${first}, REST ${now.get(first)}`
  outcome(target, `${ghosts.length} of ${keys.length} pools differ from REST${shown}`)
}

/** Returns the followed pools whose shown price differs from REST. Pools that an event updated are not ghosts. */
export function ghostsIn(
  picture: Picture,
  { now, keys, received }: { now: Picture; keys: readonly string[]; received: ReadonlySet<string> },
): string[] {
  return keys.filter((key) => !received.has(key) && picture.get(key) !== now.get(key))
}
