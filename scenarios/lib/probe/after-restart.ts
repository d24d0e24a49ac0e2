import type { Target } from '../../../contract/scenario-config.ts'
import { closesOf } from '../feed/feed.ts'
import { RESTART_CODE } from '../feed/served-feed.ts'

const TRIES_MAX = 4
/** Another try is begun for so long: what takes longer would hold up the run, and meet the next restart as well. */
const AGAIN_MS_MAX = 60_000

/**
 * Whether a probe, known by its target, should look again at what it could not judge: yes if the gateway closed one of its sockets for
 * a restart (1012) during the try, as on a new socket there is nothing amiss.
 */
export function lookAgainAfterRestart(target: Target, nowMs: () => number = Date.now): () => boolean {
  const startedMs = nowMs()
  let known = closesOf(target, RESTART_CODE)
  let tries = 1
  return () => {
    const restarts = closesOf(target, RESTART_CODE)
    const wasRestarted = restarts > known
    known = restarts
    return wasRestarted && tries++ < TRIES_MAX && nowMs() - startedMs < AGAIN_MS_MAX
  }
}
