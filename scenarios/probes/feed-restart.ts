import { backoffMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { vuRandom } from '../lib/duties/k6-tools.ts'
import {
  EVENT_POOL,
  EVENTS_MISSED_MIN,
  listEvents,
  settle,
  whySilent,
  whyUnassigned,
} from '../lib/feed/events.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import {
  areServedWithWitness,
  isLost,
  LOST,
  mustServe,
  openServedFeed,
  RESTART_CODE,
  tryFeed,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { awaitOwed } from '../lib/market/await-owed.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { listPools } from '../lib/market/swap-watch.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, reportFailuresOnly, requireChoice } from '../lib/verdict/judge.ts'
import { advanceChain, control, mustHaveControl, nowMs } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { changeConfig } from './feed-config-change.ts'
import { missesChanges } from './feed-config-events.ts'
import { type Heard, judgeKind, KINDS } from './feed-kinds.ts'

/** Several, since any one may go quiet. Three rooms each stays within the room limit. */
const POOLS = 8
const CONFIG = { room: 'protocol_config', type: 'ProtocolConfigChanged' }
/** Until each kind of room has delivered. */
const BEFORE = { blocksMax: 30, waitMsMax: 25_000 }
/** The API does not say how long a deployment takes. */
const TRIES_MAX = 4

const RESTORES = 'ws.restart.restores'

/** A deployment: the gateway closes its sockets, and clients reconnect. */
export const restart: Probe = {
  rules: ['ws.restart.closes-1012', RESTORES],
  world: 'restart',
  async run(target, judge) {
    mustHaveControl(target, 'a restart of the gateway')
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, POOLS)
    const rooms = [CONFIG.room, ...pools.flatMap((key) => KINDS.map(({ room }) => `${room}:${key}`))]
    const feeds = await Promise.all([
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, []),
    ])
    const due = await listTypes(target, { feeds, credential })
    await control(target, '/gateway/restart')
    await Promise.all(feeds.map((feed) => feed.until(() => false, 5000)))
    await judgeClose(target, judge, { feeds, credential })
    if (!feeds.every((feed) => feed.closed())) throw new CannotJudge('the restart did not close the sockets')

    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const after = await comeBack(target, judge, { credential, rooms })
    if (!after) return
    await judgeRestored(target, judge, { after, credential, rooms, pools, due })
    after.close()
  },
}

/** Returns the types of events that come before the restart. Other rules cover a type that never comes. */
async function listTypes(
  target: Target,
  { feeds, credential }: { feeds: readonly Feed[]; credential: Credential },
): Promise<readonly string[]> {
  const types = [CONFIG, ...KINDS].map(({ type }) => type)
  const list = () => types.filter((type) => feeds.some((feed) => listOfType(feed, type).length > 0))
  await changeConfig(target)
  const eachTurn = await keepServed(target, { credential, feeds })
  await advanceChain(target, { ...BEFORE, done: () => list().length === types.length, eachTurn })
  return list()
}

function listOfType({ received }: Feed, type: string): readonly FeedMessage[] {
  return received.filter((message) => message.type === type)
}

type Restored = {
  after: Feed
  credential: Credential
  rooms: readonly string[]
  pools: readonly string[]
  /** Types of events that came before the restart. */
  due: readonly string[]
}

/** Events arrive or REST shows that they are due; the socket is served for as long as its ticket lasts. */
async function judgeRestored(
  target: Target,
  judge: Judge,
  { after, credential, rooms, pools, due }: Restored,
): Promise<void> {
  const startedMs = await nowMs(target)
  let agoMs = 0
  const keep = await keepServed(target, { credential, feeds: [after] })
  const hasEvents = () => listEvents(target, after, rooms).length > 0
  const isComplete = () => hasEvents() && due.every((type) => listOfType(after, type).length > 0)
  const eachTurn = async () => {
    await keep()
    agoMs = (await nowMs(target)) - startedMs
  }
  await changeConfig(target)
  const owed = await awaitOwed(target, {
    done: () => after.closed() !== undefined || (agoMs > SERVED_MS && isComplete()),
    isOwing: (swap) => listPools(swap).some((key) => pools.includes(key)),
    credential,
    eachTurn,
  })
  const why = whySilent(after) ?? whyUnassigned(target, [after])
  if (isLost(after)) judge.inconclusive(RESTORES, LOST, after.evidence())
  else if (after.closed() && agoMs < YOUNG_MS) {
    await mustServe(target, credential)
    judge.fail(RESTORES, `${why}, ${agoMs} ms after it came back with a fresh ticket`, after.evidence())
  } else if (hasEvents() && !after.closed()) {
    await settle(target, [after])
    const list = (type: string) => listOfType(after, type)
    await judgeSilent(target, judge, { due, heard: { feed: after, list, owed, pools, eachTurn } })
    judge.pass(RESTORES, 'back with its rooms')
  } else if (why !== undefined) judge.inconclusive(RESTORES, why, after.evidence())
  else if (owed.swaps >= EVENTS_MISSED_MIN)
    judge.fail(
      RESTORES,
      `no event, while /swaps shows ${owed.swaps} more swaps in its pools`,
      after.evidence(),
    )
  else judge.inconclusive(RESTORES, 'nothing to deliver after the reconnect', after.evidence())
}

/** Fails for a kind of room that delivered before the restart and is silent after it, while REST shows what it missed. */
export async function judgeSilent(
  target: Target,
  judge: Judge,
  { due, heard }: { due: readonly string[]; heard: Heard },
): Promise<void> {
  const { feed, eachTurn } = heard
  const silent = due.filter((type) => heard.list(type).length === 0)
  const failing = reportFailuresOnly(judge)
  const kinds = KINDS.filter(({ type }) => silent.includes(type))
  await Promise.all(kinds.map((kind) => judgeKind(target, failing, { ...kind, rule: RESTORES }, heard)))
  if (silent.includes(CONFIG.type) && (await missesChanges(target, { feed, eachTurn }))) {
    const seen = `no ${CONFIG.type} of ${EVENTS_MISSED_MIN} changes that /protocol/state shows`
    judge.fail(RESTORES, seen, feed.evidence())
  }
}

/** More than a moment, but less than the lifetime of a ticket. */
const SERVED_MS = 10_000
const YOUNG_MS = 40_000

/** The API says "may close", so neither the close nor its code is required. A socket left open must be served. */
async function judgeClose(
  target: Target,
  judge: Judge,
  { feeds, credential }: { feeds: readonly Feed[]; credential: Credential },
): Promise<void> {
  const rule = 'ws.restart.closes-1012'
  const open = feeds.filter((feed) => feed.closed() === undefined)
  const served = open.length === 0 ? [] : await areServedWithWitness(open, { target, credential })
  const deaf = open.filter((feed, index) => served[index] === false && feed.closed() === undefined)
  const codes = feeds.flatMap((feed) => feed.closed()?.code ?? [])
  const evidence = (deaf.length > 0 ? deaf : feeds).flatMap((feed) => feed.evidence())
  const other = codes.find((code) => code !== RESTART_CODE)
  if (deaf.length > 0)
    judge.fail(rule, `${deaf.length} of ${feeds.length} left open but not served`, evidence)
  else if (served.includes(undefined)) judge.inconclusive(rule, UNRESPONSIVE, evidence)
  else if (other !== undefined) judge.inconclusive(rule, `closed with ${other}; 1012 is optional`, evidence)
  else judge.pass(rule, open.length > 0 ? 'left open and served' : 'closed with 1012', evidence)
}

/** Reconnects with backoff. A socket that opens repeatedly but is never served is not waiting for a deployment. */
async function comeBack(
  target: Target,
  judge: Judge,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<Feed | undefined> {
  for (let attempt = 0; ; attempt++) {
    await pause(backoffMs({ attempt, random: vuRandom }))
    const { feed, served } = await tryFeed(target, credential, rooms)
    if (served) return feed
    feed.close()
    if (attempt + 1 < TRIES_MAX) continue
    judge.fail(RESTORES, `not served after ${TRIES_MAX} reconnects`, feed.evidence())
    return undefined
  }
}
