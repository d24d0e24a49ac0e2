import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { chainGoesOn, control, hasControl } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import type { Feed } from '../lib/feed.ts'
import { EVENTS_MISSED_MIN, whySilent } from '../lib/feed-count.ts'
import type { Judge } from '../lib/judge.ts'
import { keepServed } from '../lib/keep-served.ts'
import { pause } from '../lib/pause.ts'
import { pickRevision, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { readProtocolState } from '../lib/protocol-state.ts'
import { redactor } from '../lib/redact.ts'
import { request } from '../lib/request.ts'
import { openServedFeed } from '../lib/served-feed.ts'
import { readTotal } from '../lib/walk.ts'

/** As long as the longest of the others, as it only listens. */
const LISTEN_MS = 110_000
const LAUNCHES = { blocksMax: 1200, blocksAtOnce: 10, waitMsMax: LISTEN_MS }
/** Between two looks at the revision. */
const CHANGE = { blocksMax: 5, waitMsMax: 10_000 }

/** Pools that are launched. */
export const launches: Probe = {
  rules: ['ws.rooms.pool-launches', 'ws.launch.readable'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.pool-launches'
    const credential = await readCredential(target)
    const feed = await openServedFeed(target, credential, ['pool_launches'])
    const find = () => feed.received.find(({ type }) => type === 'PoolLaunch')
    const before = await countPools(target)
    await chainGoesOn(target, {
      done: () => find() !== undefined,
      eachTurn: await keepServed(target, { credential, feeds: [feed] }),
      ...LAUNCHES,
    })
    const event = find()
    const why = whySilent(feed)
    feed.close()
    if (!event) {
      if (why !== undefined) throw new CannotJudge(why)
      const more = (await countPools(target)) - before
      if (more >= EVENTS_MISSED_MIN) judge.fail(rule, `no event, while /pools lists ${more} pools more`)
      throw new CannotJudge(`no event, and /pools lists ${more} pools more`)
    }
    const shown = redactor.redactBody(event.text).slice(0, 400)
    judge.pass(rule, 'a launch was told', [shown])
    const path = target.profile.choices.events.pool
    if (path === null)
      judge.skip('ws.launch.readable', 'the profile does not tell where an event names its pool')
    const key = pickText(event.json, path)
    if (key === undefined) throw new CannotJudge(`no key at ${path}: ${shown}`)
    await judgeReadable(target, judge, key)
  },
}

async function countPools(target: Target): Promise<number> {
  const reply = await request(target, { method: 'GET', path: '/pools', query: { limit: '1' } })
  const total = readTotal(reply.json)
  if (total === undefined) throw new CannotJudge(`/pools has no total: ${reply.evidence()}`)
  return total
}

const READABLE_MS = 30_000

/** How soon is not stated. */
async function judgeReadable(target: Target, judge: Judge, key: string): Promise<void> {
  const rule = 'ws.launch.readable'
  const until = Date.now() + (hasControl(target) ? 1000 : READABLE_MS)
  for (;;) {
    const path = `/pools/${encodeURIComponent(key)}`
    const reply = await request(target, { method: 'GET', path, route: '/pools/{key}' })
    if (reply.status === 200) return judge.pass(rule, 'its key can be read', [reply.evidence()])
    if (Date.now() > until) return judge.fail(rule, `${reply.status} for its key`, [reply.evidence()])
    await pause(500)
  }
}

/** Changes of the configuration, which the probe brings about where it can. */
export const configChanges: Probe = {
  rules: ['ws.rooms.protocol-config', 'ws.config.agrees'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.protocol-config'
    const credential = await readCredential(target)
    const feed = await openServedFeed(target, credential, ['protocol_config'])
    const find = () => feed.received.find(({ type }) => type === 'ProtocolConfigChanged')
    const eachTurn = await keepServed(target, { credential, feeds: [feed] })
    let revision = await readRevision(target)
    let changes = 0
    const rounds = hasControl(target) ? EVENTS_MISSED_MIN : LISTEN_MS / CHANGE.waitMsMax
    for (let round = 0; round < rounds && !find(); round++) {
      if (hasControl(target)) await control(target, '/revision', { scope: 'fee_tiers', key: '3000' })
      await chainGoesOn(target, { done: () => find() !== undefined, eachTurn, ...CHANGE })
      const now = await readRevision(target)
      if (revision !== undefined && now !== undefined && now > revision) changes++
      revision = now
    }
    const event = find()
    if (!event) {
      judgeSilence(judge, rule, { feed, changes })
      throw new CannotJudge('no change was told')
    }
    judge.pass(rule, 'a change was told', [redactor.redactBody(event.text).slice(0, 400)])
    feed.close()
    const told = pickRevision(event.json, 'data.revision')
    if (told === undefined) throw new CannotJudge('the event names no revision')
    await judgeAgrees(target, judge, told)
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

async function readRevision(target: Target): Promise<bigint | undefined> {
  const reply = await readProtocolState(target)
  return pickRevision(reply.json, target.profile.choices.protocolState.revision)
}

const AGREES_MS = 30_000

/** How soon is not stated. */
async function judgeAgrees(target: Target, judge: Judge, revision: bigint): Promise<void> {
  const rule = 'ws.config.agrees'
  const until = Date.now() + (hasControl(target) ? 1000 : AGREES_MS)
  for (;;) {
    const served = await readRevision(target)
    if (served === undefined) throw new CannotJudge('/protocol/state shows no revision')
    const seen = `/protocol/state has revision ${served}, the event had ${revision}`
    if (served >= revision) return judge.pass(rule, seen)
    if (Date.now() > until) return judge.fail(rule, seen)
    await pause(500)
  }
}
