import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { EVENTS_MISSED_MIN, whySilent } from '../lib/feed/feed-count.ts'
import { keepServed } from '../lib/feed/keep-served.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { readProtocolState } from '../lib/market/protocol-state.ts'
import { pickRevision, pickRows } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import { check } from '../lib/probe/check.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { redactor } from '../lib/secrets/redact.ts'
import { chainGoesOn, control } from '../lib/time/control.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'

/** As long as the longest of the others, as it only listens. */
const LISTEN_MS = 110_000
/** Between two looks at the revision. */
const CHANGE = { blocksMax: 5, waitMsMax: 10_000 }

/** Changes of the configuration, which the probe brings about where it can. */
export const configChanges: Probe = {
  rules: ['ws.rooms.protocol-config', 'ws.event.config', 'ws.config.agrees'],
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
    judgeEvent(target, judge, event)
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

function judgeEvent(target: Target, judge: Judge, event: FeedMessage): void {
  const problems = check('configChanged', event.json)
  const { changes } = target.profile.choices.events
  if (changes !== null) {
    const rows = pickRows(event.json, changes)
    if (!rows || rows.length === 0) problems.push(`no changes at ${changes}`)
    else if (!rows.every((row) => 'scope' in row && 'key' in row)) {
      problems.push('a change without its scope or key')
    }
  }
  judge.that('ws.event.config', problems.length === 0, problems.join('; ') || 'fits', [
    redactor.redactBody(event.text),
  ])
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
