import type { EventView, PodView } from './cluster-view.ts'
import { podStanding } from './job-standing.ts'
import { conditionOf } from './pod-facts.ts'
import type { Failure, Verdict } from './verdict.ts'

/**
 * What is to be done about a single pod that is to serve: `running` is ready. Null: it is not there. As with runners, what may heal is
 * waited for until `startMs` are over; `role` is what a person calls the pod.
 */
export function diagnosePod(
  pod: PodView | null,
  options: { role: string; events: readonly EventView[]; waitedMs: number; startMs: number },
): Verdict {
  const { role, events, waitedMs, startMs } = options
  const failed = (sentence: string, { hint, whose }: Pick<Failure, 'hint' | 'whose'>): Failure => ({
    kind: 'failed',
    sentence: `${role}: ${sentence}`,
    hint,
    whose,
    runner: null,
  })
  if (pod === null)
    return failed('the pod was deleted', { hint: 'Somebody else did so: run it again.', whose: 'cluster' })
  const standing = podStanding(pod, { events, mayStop: false })
  if (standing.at === 'ended') return failed('it has ended', SEE_LOG)
  if (standing.at === 'failed') return failed(standing.trouble.sentence, standing.trouble)
  if (standing.at === 'troubled') {
    const { sentence, mayHeal } = standing.trouble
    if (!mayHeal || waitedMs >= startMs) return failed(sentence, standing.trouble)
    return { kind: 'waiting', why: `${role}: ${sentence}` }
  }
  if (conditionOf(pod, 'Ready', 'True') !== undefined) return { kind: 'running' }
  if (waitedMs >= startMs) return failed('it did not become ready in time', SEE_LOG)
  return { kind: 'waiting', why: `${role} to become ready` }
}

const SEE_LOG = { hint: 'Its log tells more: `kubectl logs`.', whose: 'cluster' } as const
