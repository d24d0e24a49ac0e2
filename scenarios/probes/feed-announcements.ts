import { findEventPath } from '../../contract/room-events.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { countSubscribers, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { joinAndClose } from '../lib/feed/join-and-close.ts'
import { openRooms, openServedFeed } from '../lib/feed/served-feed.ts'
import { listConfigProblems } from '../lib/feed/watch-frames.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { pickRevision, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import { redactor } from '../lib/redact.ts'
import { type Reply, request } from '../lib/requests/request.ts'
import { readTotal } from '../lib/requests/walk.ts'
import { hasControl } from '../lib/time/has-control.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, ifPossible, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { type Shown, waitUntilShown } from '../lib/world/wait-until-shown.ts'
import { changeConfig, FEE_CHANGE, type Made, TIER_CHANGE } from './feed-config-change.ts'
import {
  hasRevision,
  isNamed,
  judgeNewRevision,
  missesChanges,
  readLater,
  readRevision,
} from './feed-config-events.ts'
import { findReplayed } from './feed-delivery.ts'
import { reportSilentLaunched, watchRenewedRoom } from './feed-kept-rooms.ts'

/** As long as the longest other probe, since this one only listens. */
const LISTEN_MS = 110_000
/** Between two reads of the revision. */
const CHANGE = { blocksMax: 5, waitMsMax: 10_000 }

export const configChanges: Probe = {
  rules: ['ws.rooms.protocol-config', 'ws.event.config', 'ws.config.agrees'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.protocol-config'
    const credential = await readCredential(target)
    const feed = await openRooms(target, credential, { judge, rule, rooms: ['protocol_config'] })
    const second = await openServedFeed(target, credential, ['protocol_config'])
    await joinAndClose(target, credential, ['protocol_config'])
    const from = feed.received.length
    const subscribers = countSubscribers([feed, second], 'ProtocolConfigChanged')
    const renewed = await ifPossible(() =>
      watchRenewedRoom(target, { credential, room: 'protocol_config', type: 'ProtocolConfigChanged' }),
    )
    const isSettled = () => subscribers.isSettled() && renewed?.isSettled() !== false
    const find = () => feed.received.slice(from).find(({ type }) => type === 'ProtocolConfigChanged')
    const made: Made[] = []
    const makeChange = async (change = TIER_CHANGE) => {
      made.push({ change, revision: await changeConfig(target, change) })
    }
    const keep = await keepServed(target, { credential, feeds: [feed, second] })
    const eachTurn = async () => void (await Promise.all([keep(), renewed?.eachTurn()]))
    let newest = await readRevision(target)
    let changes = 0
    // A witness misses an event between its renewal and its rejoin.
    const rounds = hasControl(target) ? 2 * EVENTS_MISSED_MIN : LISTEN_MS / CHANGE.waitMsMax
    for (let round = 0; round < rounds && !isSettled(); round++) {
      await makeChange()
      await advanceChain(target, { done: isSettled, eachTurn, ...CHANGE })
      const later = newest === undefined ? undefined : await readLater(target, newest)
      if (later !== undefined) changes++
      newest = later ?? newest
    }
    await settle(target, [feed, second])
    const event = find()
    const leftOut = subscribers.whoIsLeftOut()
    second.close()
    if (leftOut !== undefined) judge.fail(rule, leftOut, [...feed.evidence(), ...second.evidence()])
    if (!event) {
      await renewed?.end()
      judgeSilence(judge, rule, { feed, changes })
      throw new CannotJudge('no change was announced')
    }
    await unlessCannot(async () => {
      await makeChange(FEE_CHANGE)
      if (await missesChanges(target, { feed, change: FEE_CHANGE, eachTurn }))
        judge.fail(rule, `no event of ${EVENTS_MISSED_MIN} changes of ${FEE_CHANGE.scope}`, feed.evidence())
    })
    await renewed?.end()
    judge.pass(rule, 'a change was announced', [redactor.redactBody(event.text, 400)])
    judgeEvent(target, judge, event, findOtherChange(target, feed, made))
    const later = (revision: bigint) => readLater(target, revision)
    await unlessCannot(() => judgeNewRevision(target, judge, { feed, readLater: later, eachTurn }))
    feed.close()
    const announced = pickRevision(event.json, 'data.revision')
    if (announced === undefined) throw new CannotJudge('the event names no revision')
    await judgeAgrees(target, judge, announced)
  },
}

function judgeSilence(judge: Judge, rule: string, { feed, changes }: { feed: Feed; changes: number }): void {
  const why = whySilent(feed)
  feed.close()
  if (why !== undefined) judge.inconclusive(rule, why)
  else if (changes >= EVENTS_MISSED_MIN) {
    judge.fail(rule, `no event, while the revision of /protocol/state rose ${changes} times`, feed.evidence())
  } else judge.inconclusive(rule, `no event, and the revision of /protocol/state rose ${changes} times`)
}

/** Returns the event of a change that names neither its scope nor its key. */
function findOtherChange(
  target: Target,
  { received }: Pick<Feed, 'received'>,
  made: readonly Made[],
): { event: FeedMessage; problem: string } | undefined {
  for (const { change, revision } of made) {
    const event = received.find(
      (message) => message.type === 'ProtocolConfigChanged' && hasRevision(message, revision),
    )
    if (event && !isNamed(target, event, change))
      return { event, problem: `no change of ${change.scope}/${change.key} in revision ${revision}` }
  }
  return undefined
}

function judgeEvent(
  target: Target,
  judge: Judge,
  first: FeedMessage,
  other: ReturnType<typeof findOtherChange>,
): void {
  // Later events are checked on every socket.
  const problems = listConfigProblems(first.json, target.profile.choices.events)
  if (other && problems.length === 0) problems.push(other.problem)
  const event = other?.event ?? first
  judge.that('ws.event.config', problems.length === 0, problems.join('; ') || 'fits', [
    redactor.redactBody(event.text),
  ])
}

const REVISION_PATH = 'the path of the revision in /protocol/state (choices.protocolState.revision)'

/** A REST revision below that of the event is no violation by itself: the API does not say how soon it follows. */
export async function judgeAgrees(target: Target, judge: Judge, revision: bigint): Promise<void> {
  const rule = 'ws.config.agrees'
  requireChoice(target.profile.choices.protocolState.revision, REVISION_PATH)
  let seen = ''
  const shown = await waitUntilShown(target, async () => {
    const served = await readRevision(target)
    if (served === undefined) throw new CannotJudge('/protocol/state shows no revision')
    seen = `/protocol/state has revision ${served}, the event had ${revision}`
    return served >= revision
  })
  if (shown === 'shown') judge.pass(rule, seen)
  else if (shown === 'never') judge.fail(rule, seen)
  else judge.inconclusive(rule, `not yet: ${seen}`)
}

const LAUNCHES_ROOM = 'pool_launches'
/** As long as the longest other probe, since this one only listens. */
const LAUNCHES_MS_MAX = 110_000
/** Until every replica's /pools shows the pools launched before the room was joined. */
const SETTLES = { blocksMax: 50, blocksAtOnce: 10, waitMsMax: 15_000 }
const LAUNCHES = { blocksMax: 1200, blocksAtOnce: 10, waitMsMax: LAUNCHES_MS_MAX - SETTLES.waitMsMax }

export const launches: Probe = {
  rules: ['ws.rooms.pool-launches', 'ws.launch.readable'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.pool-launches'
    const credential = await readCredential(target)
    const feed = await openRooms(target, credential, { judge, rule, rooms: [LAUNCHES_ROOM] })
    const second = await openServedFeed(target, credential, [LAUNCHES_ROOM])
    await joinAndClose(target, credential, [LAUNCHES_ROOM])
    const from = feed.received.length
    const list = () => feed.received.slice(from).filter(({ type }) => type === 'PoolLaunch')
    const find = () => list()[0]
    const subscribers = countSubscribers([feed, second], 'PoolLaunch')
    const renewed = await ifPossible(() =>
      watchRenewedRoom(target, { credential, room: LAUNCHES_ROOM, type: 'PoolLaunch' }),
    )
    const isSettled = () => subscribers.isSettled() && renewed?.isSettled() !== false
    const until = Date.now() + LAUNCHES_MS_MAX
    const heard = () => find() !== undefined
    const keep = await keepServed(target, { credential, feeds: [feed, second] })
    const eachTurn = async () => void (await Promise.all([keep(), renewed?.eachTurn()]))
    await advanceChain(target, { done: heard, eachTurn, ...SETTLES })
    const before = heard() ? 0 : await countPools(target)
    await advanceChain(target, { done: heard, eachTurn, ...LAUNCHES })
    const event = find()
    const path = findEventPath(target.profile.choices.events.pool, 'PoolLaunch')
    const key = event && path !== null ? pickText(event.json, path) : undefined
    // Read at once: a pool that was in a list may be readable for that reason alone.
    const read = key === undefined ? undefined : await readPool(target, key)
    const waitMsMax = until - Date.now()
    await advanceChain(target, { done: isSettled, eachTurn, ...LAUNCHES, waitMsMax })
    await renewed?.end()
    await settle(target, [feed, second])
    const why = whySilent(feed)
    const leftOut = subscribers.whoIsLeftOut()
    await unlessCannot(async () => {
      const replayed = await findReplayed(target, { credential, witness: feed, room: LAUNCHES_ROOM })
      if (replayed.length === 0) return
      const evidence = () => redactor.redactBody(replayed[0]?.text ?? '', 400)
      noteProblem(
        'ws.delivery.not-replayed',
        'a launch from before it joined comes to a new socket',
        evidence,
      )
    })
    feed.close()
    second.close()
    if (leftOut !== undefined) judge.fail(rule, leftOut, [...feed.evidence(), ...second.evidence()])
    if (!event) {
      if (why !== undefined) throw new CannotJudge(why)
      const more = (await countPools(target)) - before
      if (more >= EVENTS_MISSED_MIN) judge.fail(rule, `no event, while /pools lists ${more} more pools`)
      throw new CannotJudge(`no event, and /pools lists ${more} more pools`)
    }
    const shown = redactor.redactBody(event.text, 400)
    judge.pass(rule, 'a launch was announced', [shown])
    if (path === null)
      judge.skip('ws.launch.readable', 'the profile does not state the path of the pool in events', 'choice')
    if (key === undefined || read === undefined) throw new CannotJudge(`no key at ${path}: ${shown}`)
    judgeRead(judge, key, read)
    if (read.shown !== 'shown') return
    const keys = list().flatMap(({ json }) => pickText(json, path) ?? [])
    await unlessCannot(() => reportSilentLaunched(target, { credential, keys, untilMs: until }))
  },
}

async function countPools(target: Target): Promise<number> {
  const reply = await request(target, { method: 'GET', path: '/pools', query: { limit: '1' } })
  const total = readTotal(reply.json)
  if (total === undefined) throw new CannotJudge(`/pools has no total: ${reply.evidence()}`)
  return total
}

type Read = { shown: Shown; reply: Reply | undefined }

async function readPool(target: Target, key: string): Promise<Read> {
  const path = `/pools/${encodeURIComponent(key)}`
  let reply: Reply | undefined
  const shown = await waitUntilShown(target, async () => {
    reply = await request(target, { method: 'GET', path, route: '/pools/{key}' })
    return reply.status === 200
  })
  return { shown, reply }
}

function judgeRead(judge: Judge, key: string, { shown, reply }: Read): void {
  const rule = 'ws.launch.readable'
  const evidence = reply === undefined ? [] : [reply.evidence()]
  const served = pickText(reply?.json, 'data.key')
  if (shown === 'shown' && served === undefined)
    judge.inconclusive(rule, 'the pool read has no key', evidence)
  else if (shown === 'shown') judge.that(rule, served === key, 'the key reads its pool', evidence)
  else if (shown === 'never') judge.fail(rule, `${reply?.status} for its key`, evidence)
  else judge.inconclusive(rule, `not readable yet: ${reply?.status} for its key`, evidence)
}
