import type { Target } from '../../contract/scenario-config.ts'
import { countSubscribers } from '../lib/feed/every-subscriber.ts'
import { EVENTS_MISSED_MIN, whySilent } from '../lib/feed/feed-count.ts'
import { openRooms, openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { type Reply, request } from '../lib/requests/request.ts'
import { readTotal } from '../lib/requests/walk.ts'
import { redactor } from '../lib/secrets/redact.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { chainGoesOn } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { type Shown, waitUntilShown } from '../lib/world/wait-until-shown.ts'

/** As long as the longest of the others, as it only listens. */
const LISTEN_MS = 110_000
/** Until /pools shows what was launched before the room was joined, from whichever replica. */
const SETTLES = { blocksMax: 50, blocksAtOnce: 10, waitMsMax: 15_000 }
const LAUNCHES = { blocksMax: 1200, blocksAtOnce: 10, waitMsMax: LISTEN_MS - SETTLES.waitMsMax }

/** Pools that are launched. */
export const launches: Probe = {
  rules: ['ws.rooms.pool-launches', 'ws.launch.readable'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.pool-launches'
    const credential = await readCredential(target)
    const feed = await openRooms(target, credential, { judge, rule, rooms: ['pool_launches'] })
    const find = () => feed.received.find(({ type }) => type === 'PoolLaunch')
    const second = await openServedFeed(target, credential, ['pool_launches'])
    const subscribers = countSubscribers([feed, second], 'PoolLaunch')
    const until = Date.now() + LISTEN_MS
    const heard = () => find() !== undefined
    const eachTurn = await keepServed(target, { credential, feeds: [feed, second] })
    await chainGoesOn(target, { done: heard, eachTurn, ...SETTLES })
    const before = heard() ? 0 : await countPools(target)
    await chainGoesOn(target, { done: heard, eachTurn, ...LAUNCHES })
    const event = find()
    const path = target.profile.choices.events.pool
    const key = event && path !== null ? pickText(event.json, path) : undefined
    // At once: a pool that has been in a list may be readable for that reason alone.
    const read = key === undefined ? undefined : await readPool(target, key)
    const waitMsMax = until - Date.now()
    await chainGoesOn(target, { done: subscribers.isSettled, eachTurn, ...LAUNCHES, waitMsMax })
    const why = whySilent(feed)
    const leftOut = subscribers.whoIsLeftOut()
    feed.close()
    second.close()
    if (leftOut !== undefined) judge.fail(rule, leftOut, [...feed.evidence(), ...second.evidence()])
    if (!event) {
      if (why !== undefined) throw new CannotJudge(why)
      const more = (await countPools(target)) - before
      if (more >= EVENTS_MISSED_MIN) judge.fail(rule, `no event, while /pools lists ${more} pools more`)
      throw new CannotJudge(`no event, and /pools lists ${more} pools more`)
    }
    const shown = redactor.redactBody(event.text, 400)
    judge.pass(rule, 'a launch was told', [shown])
    if (path === null)
      judge.skip('ws.launch.readable', 'the profile does not tell where an event names its pool', 'choice')
    if (key === undefined || read === undefined) throw new CannotJudge(`no key at ${path}: ${shown}`)
    judgeRead(judge, key, read)
  },
}

async function countPools(target: Target): Promise<number> {
  const reply = await request(target, { method: 'GET', path: '/pools', query: { limit: '1' } })
  const total = readTotal(reply.json)
  if (total === undefined) throw new CannotJudge(`/pools has no total: ${reply.evidence()}`)
  return total
}

type Read = { shown: Shown; reply: Reply | undefined }

/** How soon it can be read is not stated. */
async function readPool(target: Target, key: string): Promise<Read> {
  const path = `/pools/${encodeURIComponent(key)}`
  let reply: Reply | undefined
  const shown = await waitUntilShown(target, async () => {
    reply = await request(target, { method: 'GET', path, route: '/pools/{key}' })
    return reply.status === 200
  })
  return { shown, reply }
}

/** That it can be read, and that it is this pool and no other. */
function judgeRead(judge: Judge, key: string, { shown, reply }: Read): void {
  const rule = 'ws.launch.readable'
  const evidence = reply === undefined ? [] : [reply.evidence()]
  const served = pickText(reply?.json, 'data.key')
  if (shown === 'shown' && served === undefined) judge.inconclusive(rule, 'what is read has no key', evidence)
  else if (shown === 'shown') judge.that(rule, served === key, 'its key is read', evidence)
  else if (shown === 'never') judge.fail(rule, `${reply?.status} for its key`, evidence)
  else judge.inconclusive(rule, `not yet to be read: ${reply?.status} for its key`, evidence)
}
