import type { EventView, JobView, PodView } from './cluster-view.ts'
import { gonePod } from './gone-pod.ts'
import { podEnd } from './pod-end.ts'
import { containerState, eventsOf } from './pod-facts.ts'
import { refusal } from './refusal.ts'
import type { Standing } from './verdict.ts'
import { waitingTrouble } from './waiting-trouble.ts'

export type JobParts = { jobs: readonly JobView[]; pods: readonly PodView[]; events: readonly EventView[] }

/**
 * What a Job of the operator is at, which has one pod and no second try. `podsNeeded`: how many of its kind must run at the same
 * time; `mayStop`: whether k6 was asked to stop.
 */
export function jobStanding(
  name: string,
  parts: JobParts & { podsNeeded: number; mayStop: boolean },
): { pod: string | null } & Standing {
  const { events, podsNeeded, mayStop } = parts
  const job = parts.jobs.find(({ metadata }) => metadata.name === name)
  const pod = parts.pods.find(({ metadata }) => metadata.labels?.['job-name'] === name)
  if (pod !== undefined) return { pod: pod.metadata.name, ...podStanding(pod, { events, mayStop }) }
  return podlessStanding(job, { events, podsNeeded, mayStop })
}

/** What a pod is at. */
export function podStanding(
  pod: PodView,
  { events, mayStop }: { events: readonly EventView[]; mayStop: boolean },
): Standing {
  const end = podEnd(pod, { mayStop })
  if (end !== null) {
    const { trouble, exitCode, endedAt: failedAt } = end
    return trouble === null ? { at: 'ended' } : { at: 'failed', trouble, exitCode, failedAt }
  }
  if (containerState(pod).running !== undefined) return { at: 'running' }
  const trouble = waitingTrouble(pod, eventsOf(events, pod.metadata.uid))
  return trouble === null ? { at: 'waiting' } : { at: 'troubled', trouble }
}

function podlessStanding(
  job: JobView | undefined,
  { events, podsNeeded, mayStop }: { events: readonly EventView[]; podsNeeded: number; mayStop: boolean },
): { pod: string | null } & Standing {
  if (job === undefined) return { pod: null, at: 'unmade' }
  const { succeeded = 0, failed = 0, conditions = [] } = job.status ?? {}
  const own = eventsOf(events, job.metadata.uid)
  if (succeeded > 0) return { pod: null, at: 'ended' }
  if (failed > 0) {
    const gone = gonePod(own, events)
    // Deleted so as to stop it.
    if (mayStop) return { pod: gone.pod, at: 'ended' }
    const failedAt = conditions.find(({ type }) => type === 'Failed')?.lastTransitionTime ?? null
    return { ...gone, at: 'failed', exitCode: null, failedAt }
  }
  const trouble = refusal(own, { pods: podsNeeded })
  return { pod: null, ...(trouble === null ? { at: 'waiting' } : { at: 'troubled', trouble }) }
}
