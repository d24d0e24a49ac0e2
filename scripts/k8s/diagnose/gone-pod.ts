import type { EventView } from './cluster-view.ts'
import type { Trouble } from './verdict.ts'

export const DELETED = 'the pod was deleted'
export const STAY_HINT = 'A load needs nodes that stay as they are while it lasts: run it again.'

/** By the events that outlive a pod; of several the first here is the cause. */
const CAUSES: readonly { reason: string; sentence: string }[] = [
  { reason: 'Preempted', sentence: `${DELETED} to make room for one of higher priority` },
  { reason: 'NodeNotReady', sentence: `the node is not reached any more, and ${DELETED}` },
  { reason: 'TaintManagerEviction', sentence: `the node is not to have it any more, and ${DELETED}` },
]

/** What became of the pod that a Job had, and that is gone without having ended well. `jobEvents` are those of the Job. */
export function gonePod(
  jobEvents: readonly EventView[],
  events: readonly EventView[],
): { pod: string | null; trouble: Trouble } {
  const made = jobEvents.map(({ message }) => /^Created pod: (.+)$/.exec(message ?? '')?.[1])
  const pod = made.find((name) => name !== undefined) ?? null
  const reasons = events
    .filter(({ involvedObject }) => involvedObject.name === pod)
    .map(({ reason }) => reason)
  const sentence = CAUSES.find(({ reason }) => reasons.includes(reason))?.sentence ?? DELETED
  return { pod, trouble: { sentence, hint: STAY_HINT, whose: 'cluster', mayHeal: false } }
}
