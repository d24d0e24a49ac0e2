import type { Target } from '../../contract/scenario-config.ts'
import { EVENTS_MISSED_MIN, listEvents, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { pickRevision } from '../lib/pick.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { changeConfig } from './feed-config-change.ts'

const BOUNDS = { blocksMax: 5, waitMsMax: 10_000 }
/** More rounds than needed: of one in which another probe changes the configuration too, the event proves nothing. */
const ROUNDS = 2 * EVENTS_MISSED_MIN
/** Changes by other probes at the same time. */
const CHANGES_MAX = 3
/** For events of the same change that come later. */
const STRAGGLERS_MS = 1000

type Options = {
  feed: Feed
  /** A revision above this one, if REST has one; replicas that are behind do not count. */
  readLater: (revision: bigint) => Promise<bigint | undefined>
  eachTurn: () => Promise<void>
}

/**
 * The event of a change names a revision above the one that REST had before it. Without a control API, an event may be that
 * of an earlier change, so nothing is judged. Nor is a single event, which may be late: it has to happen in each round.
 */
export async function judgeNewRevision(target: Target, judge: Judge, options: Options): Promise<void> {
  const { feed, readLater, eachTurn } = options
  if (!hasControl(target)) return
  const listRevisions = (from = 0) =>
    listEvents(target, feed, ['protocol_config'])
      .slice(from)
      .map(({ json }) => pickRevision(json, 'data.revision'))
      .filter((revision) => revision !== undefined)
  const readNewest = async (revision: bigint) => {
    let newest = revision
    for (let turn = 0; turn < CHANGES_MAX; turn++) {
      const later = await readLater(newest)
      if (later === undefined) break
      newest = later
    }
    return newest
  }
  const announced = listRevisions().reduce((one, other) => (other > one ? other : one), -1n)
  let before = await readNewest(announced)
  if (announced < 0n || before === announced) return
  const seen: string[] = []
  for (let round = 0; round < ROUNDS && seen.length < EVENTS_MISSED_MIN; round++) {
    await settle([feed])
    before = await readNewest(before)
    const from = listEvents(target, feed, ['protocol_config']).length
    await changeConfig(target)
    await advanceChain(target, { done: () => listRevisions(from).length > 0, eachTurn, ...BOUNDS })
    await pause(STRAGGLERS_MS)
    await settle([feed])
    const [came, old] = [listRevisions(from), before]
    const after = await readNewest(old)
    if (after === old || came.length === 0 || came.some((revision) => revision >= after)) return
    if (came.some((revision) => revision > old)) continue
    seen.push(`revision ${came.join(', ')} in the event, ${old} served before the change, ${after} after it`)
  }
  if (seen.length === EVENTS_MISSED_MIN && whySilent(feed) === undefined)
    judge.fail('ws.config.agrees', seen.join('; '), feed.evidence())
}
