import type { Target } from '../../../contract/scenario-config.ts'
import { countCloses } from '../feed/feed.ts'
import { RESTART_CODE } from '../feed/served-feed.ts'

const TRIES_MAX = 4
/** No retry starts later than this: it would delay the run and meet the next restart. */
const RETRY_WITHIN_MS = 60_000

/**
 * Decides whether a probe, identified by its target, retries inconclusive rules: yes if the gateway closed
 * one of its sockets with 1012 (restart) during the attempt.
 */
export function createRestartCheck(target: Target, nowMs: () => number = Date.now): () => boolean {
  const startedMs = nowMs()
  let known = countCloses(target, RESTART_CODE)
  let tries = 1
  return () => {
    const restarts = countCloses(target, RESTART_CODE)
    const wasRestarted = restarts > known
    known = restarts
    return wasRestarted && tries++ < TRIES_MAX && nowMs() - startedMs < RETRY_WITHIN_MS
  }
}
