import type { Target } from '../../../contract/scenario-config.ts'
import { countCloses, countResyncs } from '../feed/feed.ts'
import { RESTART_CODE } from '../feed/served-feed.ts'

const TRIES_MAX = 4
/** No retry starts later than this: it would delay the run and meet the next restart. */
const RETRY_WITHIN_MS = 60_000

/**
 * Decides whether a probe, identified by its target, retries inconclusive rules: yes if, during the attempt, the gateway
 * closed one of its sockets with 1012 (restart) or sent `resync_required` (updates may have been missed).
 */
export function createRetryCheck(target: Target, nowMs: () => number = Date.now): () => boolean {
  const startedMs = nowMs()
  const count = () => countCloses(target, RESTART_CODE) + countResyncs(target)
  let known = count()
  let tries = 1
  return () => {
    const before = known
    known = count()
    return known > before && tries++ < TRIES_MAX && nowMs() - startedMs < RETRY_WITHIN_MS
  }
}
