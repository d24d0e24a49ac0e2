import type { Target } from '../../contract/scenario-config.ts'
import { settle } from '../lib/feed/events.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { awaitOwed } from '../lib/market/await-owed.ts'
import { listPools } from '../lib/market/swap-watch.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import type { Credential } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { judgeKind, KINDS } from './feed-kinds.ts'

/** Three rooms each stays within the room limit. */
const POOLS_MAX = 10
/** Until every node and every replica knows a pool. */
const KNOWN = { blocksMax: 40, waitMsMax: 20_000 }
/** With less time after that, nothing could be decided. */
const WATCH_MS_MIN = 40_000

/** The rules are those of another probe. */
const noting: Judge = {
  fail: (rule, observed, evidence = []) =>
    noteProblem(rule, `in pools that were launched during the run: ${observed}`, () => evidence.join(' ')),
  pass: () => {},
  inconclusive: () => {},
  skip: () => {},
  that: () => {},
}

/**
 * Reports kinds of rooms that deliver nothing in pools that were launched while the gateway runs, although REST shows that
 * events are due.
 */
export async function reportSilentLaunched(
  target: Target,
  { credential, keys, untilMs }: { credential: Credential; keys: readonly string[]; untilMs: number },
): Promise<void> {
  if (untilMs - Date.now() < KNOWN.waitMsMax + WATCH_MS_MIN) return
  const pools = [...new Set(keys)].slice(-POOLS_MAX)
  await advanceChain(target, { ...KNOWN, done: () => false })
  const rooms = pools.flatMap((key) => KINDS.map(({ room }) => `${room}:${key}`))
  const feed = await openServedFeed(target, credential, rooms)
  try {
    const list = (type: string) => feed.received.filter((message) => message.type === type)
    const eachTurn = await keepServed(target, { credential, feeds: [feed], rejoins: rooms })
    const owed = await awaitOwed(target, {
      done: () => feed.closed() !== undefined || KINDS.every(({ type }) => list(type).length > 0),
      isOwing: (swap) => listPools(swap).some((key) => pools.includes(key)),
      credential,
      eachTurn,
      untilMs,
    })
    await settle(target, [feed])
    const heard = { feed, list, owed, pools, eachTurn }
    await Promise.all(KINDS.map((kind) => judgeKind(target, noting, kind, heard)))
  } finally {
    feed.close()
  }
}
