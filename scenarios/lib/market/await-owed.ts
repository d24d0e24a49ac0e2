import type { Target } from '../../../contract/scenario-config.ts'
import { type Credential, isSuccess, request } from '../requests/request.ts'
import { advanceChain, nowMs } from '../world/control.ts'
import { type Swap, watchSwaps } from './swap-watch.ts'

export type Owed = {
  came: boolean
  /** Matching swaps that /swaps shows and that happened while the rooms were joined. */
  swaps: number
  /** Waiting time by the target's clock. */
  seconds: number
}

const FIRST = { blocksMax: 30, waitMsMax: 25_000 }
const ROUND = { blocksMax: 30, waitMsMax: 15_000 }
const ROUNDS = 4

/**
 * Waits for expected events. If they do not arrive, checks /swaps for swaps that should have triggered them.
 * Only swaps that appear well after joining count, because REST may lag behind the feed.
 */
export async function awaitOwed(
  target: Target,
  options: {
    done: () => boolean
    isOwing: (swap: Swap) => boolean
    credential: Credential
    eachTurn: () => Promise<void>
    /** Ends earlier: then no swap counts if events had not enough time to arrive. */
    untilMs?: number
  },
): Promise<Owed> {
  const { done, isOwing, credential, eachTurn, untilMs = Number.POSITIVE_INFINITY } = options
  const startedMs = await nowMs(target)
  const outcome = async (came: boolean, swaps: number) => ({
    came,
    swaps,
    seconds: ((await nowMs(target)) - startedMs) / 1000,
  })
  const advance = (bounds: typeof FIRST) => {
    const waitMsMax = Math.min(bounds.waitMsMax, untilMs - Date.now())
    return advanceChain(target, { ...bounds, waitMsMax, done, eachTurn })
  }
  if (await advance(FIRST)) return outcome(true, 0)
  if (Date.now() >= untilMs) return outcome(false, 0)
  const watch = await watchSwaps(target, credential)
  for (let round = 0; round < ROUNDS; round++) {
    if (await advance(ROUND)) return outcome(true, 0)
    await watch.check()
  }
  return outcome(false, watch.fresh().filter(isOwing).length)
}

const UPDATE_ROUNDS = 3

/** Returns how often REST shows another record of these pools than a round before, in three rounds. */
export async function countUpdates(
  target: Target,
  options: { pools: readonly string[]; record: 'stats' | 'ohlcv'; eachTurn: () => Promise<void> },
): Promise<number> {
  const { pools, record, eachTurn } = options
  const read = (key: string) => {
    const path = `/pools/${encodeURIComponent(key)}/${record}`
    return request(target, { method: 'GET', path, route: `/pools/{key}/${record}` })
  }
  const readAll = () => Promise.all(pools.map(read))
  let [before, updates] = [await readAll(), 0]
  for (let round = 0; round < UPDATE_ROUNDS; round++) {
    await advanceChain(target, { ...ROUND, done: () => false, eachTurn })
    const after = await readAll()
    const isUpdated = (index: number) => {
      const replies = [before[index], after[index]].filter((reply) => reply !== undefined && isSuccess(reply))
      return new Set(replies.map((reply) => JSON.stringify(reply?.json))).size > 1
    }
    updates += pools.filter((_, index) => isUpdated(index)).length
    before = after
  }
  return updates
}
