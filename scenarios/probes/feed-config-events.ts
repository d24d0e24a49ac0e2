import type { Target } from '../../contract/scenario-config.ts'
import { awaitStragglers, EVENTS_MISSED_MIN, listEvents, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { readProtocolState } from '../lib/market/market.ts'
import { pickRevision, pickRows } from '../lib/pick.ts'
import { hasControl } from '../lib/time/has-control.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { type Change, changeConfig, type Made, TIER_CHANGE } from './feed-config-change.ts'

const CONFIG = 'protocol_config'
const BOUNDS = { blocksMax: 5, waitMsMax: 10_000 }

function revisionPath({ profile }: Target): string | null {
  return profile.choices.protocolState.revision
}

export async function readRevision(target: Target): Promise<bigint | undefined> {
  const reply = await readProtocolState(target)
  return pickRevision(reply.json, revisionPath(target))
}

/** Returns a later revision, if any. Requests it as a minimum, since a plain read may come from a lagging replica. */
export async function readLater(target: Target, revision: bigint): Promise<bigint | undefined> {
  const reply = await readProtocolState(target, revision + 1n)
  const served = reply.status === 200 ? pickRevision(reply.json, revisionPath(target)) : undefined
  return served !== undefined && served > revision ? served : undefined
}

/** Returns true if the pairs of an event include the scope or the key of a change: the specification does not say how they are spelled. */
export function isNamed({ profile }: Target, event: FeedMessage, { scope, key }: Change): boolean {
  const { changes } = profile.choices.events
  const rows = changes === null ? undefined : pickRows(event.json, changes)
  return rows === undefined || rows.some((row) => row.scope === scope || row.key === key)
}

export function hasRevision({ json }: FeedMessage, revision: bigint | undefined): boolean {
  return revision !== undefined && pickRevision(json, 'data.revision') === revision
}

function mayAnnounce(target: Target, event: FeedMessage, { change, revision }: Made): boolean {
  return isNamed(target, event, change) || hasRevision(event, revision)
}

/**
 * Makes up to three changes of the configuration. Returns true if the socket gets no event, while the revision of
 * /protocol/state rises each time. Without a control API, nothing is changed.
 */
export async function missesChanges(
  target: Target,
  { feed, change = TIER_CHANGE, eachTurn }: { feed: Feed; change?: Change; eachTurn: () => Promise<void> },
): Promise<boolean> {
  if (!hasControl(target)) return false
  const from = listEvents(target, feed, [CONFIG]).length
  const made: Made[] = []
  const hasCome = () =>
    listEvents(target, feed, [CONFIG])
      .slice(from)
      .some((event) => made.some((one) => mayAnnounce(target, event, one)))
  let newest = await readRevision(target)
  for (let round = 0; round < EVENTS_MISSED_MIN; round++) {
    made.push({ change, revision: await changeConfig(target, change) })
    await advanceChain(target, { done: () => hasCome(), eachTurn, ...BOUNDS })
    if (hasCome() || newest === undefined) return false
    newest = await readLater(target, newest)
  }
  await awaitStragglers([feed])
  await settle(target, [feed])
  return newest !== undefined && !hasCome() && whySilent(feed) === undefined
}

/** More rounds than needed: of one in which another probe changes the configuration too, the event proves nothing. */
const ROUNDS = 2 * EVENTS_MISSED_MIN
/** Changes by other probes at the same time. */
const CHANGES_MAX = 3

type Options = {
  feed: Feed
  /** A revision above this one, if REST has one; replicas that are behind do not count. */
  readLater: (revision: bigint) => Promise<bigint | undefined>
  eachTurn: () => Promise<void>
}

/**
 * The event of a change names a revision above the one that REST had before it. A single event may be late: it has to happen in
 * each round.
 */
export async function judgeNewRevision(target: Target, judge: Judge, options: Options): Promise<void> {
  const { feed, readLater, eachTurn } = options
  const listRevisions = (from = 0) =>
    listEvents(target, feed, ['protocol_config'])
      .slice(from)
      .map(({ json }) => pickRevision(json, 'data.revision'))
      .filter((revision) => revision !== undefined)
  const findNewest = () => listRevisions().reduce((one, other) => (other > one ? other : one), -1n)
  if (!hasControl(target)) return await judgeReplaced(target, judge, { ...options, findNewest })
  const readNewest = async (revision: bigint) => {
    let newest = revision
    for (let turn = 0; turn < CHANGES_MAX; turn++) {
      const later = await readLater(newest)
      if (later === undefined) break
      newest = later
    }
    return newest
  }
  const announced = findNewest()
  let before = await readNewest(announced)
  if (announced < 0n || before === announced) return
  const seen: string[] = []
  for (let round = 0; round < ROUNDS && seen.length < EVENTS_MISSED_MIN; round++) {
    await settle(target, [feed])
    before = await readNewest(before)
    const from = listEvents(target, feed, ['protocol_config']).length
    await changeConfig(target)
    await advanceChain(target, { done: () => listRevisions(from).length > 0, eachTurn, ...BOUNDS })
    await awaitStragglers([feed])
    await settle(target, [feed])
    const [came, old] = [listRevisions(from), before]
    const after = await readNewest(old)
    if (after === old || came.length === 0 || came.some((revision) => revision >= after)) return
    if (came.some((revision) => revision > old)) continue
    seen.push(`revision ${came.join(', ')} in the event, ${old} served before the change, ${after} after it`)
  }
  if (seen.length === EVENTS_MISSED_MIN && whySilent(feed) === undefined)
    judge.fail('ws.config.agrees', seen.join('; '), feed.evidence())
}

/** A change within this time after another proves nothing. */
const LATE_MS = 10_000
const NEXT_MS = 30_000
/** No round starts later. */
const WATCH_MS = 90_000
/** REST may follow some seconds later. */
const PENDING_MS = 2000
const PENDING_TURNS = 4

/**
 * Without a control API: the newest event names a revision that REST has replaced, no event of the next 10 s names a later one, and
 * so do other events, three in all. Those during which some may have been missed do not count.
 */
async function judgeReplaced(
  target: Target,
  judge: Judge,
  { feed, readLater, eachTurn, findNewest }: Options & { findNewest: () => bigint },
): Promise<void> {
  const comes = (after: bigint, waitMsMax: number) =>
    advanceChain(target, { done: () => findNewest() > after, eachTurn, blocksMax: 0, waitMsMax })
  const seen: string[] = []
  for (const until = Date.now() + WATCH_MS; Date.now() < until; ) {
    const [announced, from] = [findNewest(), feed.received.length]
    let served = await readLater(announced)
    for (let turn = 0; served === undefined && turn < PENDING_TURNS; turn++) {
      if (await comes(announced, PENDING_MS)) return
      served = await readLater(announced)
    }
    if (announced < 0n || served === undefined || (await comes(announced, LATE_MS))) return
    await settle(target, [feed])
    if (whySilent(feed, from) === undefined) seen.push(`revision ${announced} in the event, ${served} served`)
    if (seen.length === EVENTS_MISSED_MIN)
      return judge.fail('ws.config.agrees', seen.join('; '), feed.evidence())
    if (!(await comes(announced, NEXT_MS))) return
  }
}
