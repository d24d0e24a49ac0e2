import { visible } from '../../../reports/visible.ts'
import type { ConditionView, ContainerState, EventView, PodView } from './cluster-view.ts'

/** The state of the first container: pods of a load have no other, unless a mesh adds one behind it. */
export function containerState(pod: PodView): ContainerState {
  return pod.status?.containerStatuses?.[0]?.state ?? {}
}

/** A condition of a pod that is in the given status. */
export function conditionOf(pod: PodView, type: string, status: string): ConditionView | undefined {
  return pod.status?.conditions?.find((one) => one.type === type && one.status === status)
}

/** The events of one object, the newest last. Another of the same name, deleted before, had another uid. */
export function eventsOf(events: readonly EventView[], uid: string | undefined): EventView[] {
  const own = events.filter(({ involvedObject }) => uid !== undefined && involvedObject.uid === uid)
  return own.sort((one, other) => timeOf(one).localeCompare(timeOf(other)))
}

/** Text of the cluster, of a registry or an admission webhook, fit for a line of a terminal. */
export function told(text: string, lengthMax = 400): string {
  const line = visible(text).replace(/\s+/g, ' ').trim().replace(/\.$/, '')
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}…`
}

/** Such as `runner 2`, `runners 1, 2 and 4`, `both runners`, `all 8 runners` or `6 of 10 runners`. */
export function runnersText(runners: readonly number[], parallelism: number): string {
  if (runners.length === 1) return `runner ${runners[0]}`
  if (runners.length === parallelism) return parallelism === 2 ? 'both runners' : `all ${parallelism} runners`
  if (runners.length > 4) return `${runners.length} of ${parallelism} runners`
  return `runners ${runners.slice(0, -1).join(', ')} and ${runners.at(-1)}`
}

function timeOf(event: EventView): string {
  return event.lastTimestamp ?? event.eventTime ?? ''
}
