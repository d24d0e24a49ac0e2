import { visible } from '../../../reports/visible.ts'
import { exitMeaning } from '../../k6/k6-args.ts'

/** Why a pod, or a Job without one, fails, in the cluster's own words. */
export type Problem = {
  object: string
  says: string
  /** The last event, if it adds to that; otherwise empty. */
  event: string
  /** Where to find more; `log` if k6 itself exited with an error. */
  see: 'describe' | 'events' | 'log'
  /** May resolve without action: another node, a freed quota, a registry that comes back. */
  mayHeal: boolean
}

/**
 * State of a runner or the starter. `unmade`: the operator has not made its Job; `paused`: k6 is up and waits for the
 * starter; `ended`: successfully; `stuck`: not started, with the cluster's reason; `failed`: permanently.
 */
export type Standing =
  | { at: 'unmade' | 'waiting' | 'paused' | 'running' | 'ended' }
  | { at: 'stuck'; problem: Problem }
  | { at: 'failed'; problem: Problem; failedAt: string | null }

type Said = { reason?: string | undefined; message?: string | undefined }
type Ended = Said & Partial<Pick<Problem, 'see'>>
type PodOptions = { events: readonly EventView[]; isRunner: boolean; isStopping: boolean }

export type JobParts = { jobs: readonly JobView[]; pods: readonly PodView[]; events: readonly EventView[] }

/** Returns the standing of a Job of the operator, which has one pod and no retry. */
export function jobStanding(
  name: string,
  options: JobParts & Omit<PodOptions, 'events'>,
): { pod: string | null } & Standing {
  const { events } = options
  const pod = options.pods.find(({ metadata }) => metadata.labels?.['job-name'] === name)
  if (pod !== undefined) return { pod: pod.metadata.name, ...podStanding(pod, options) }
  const job = options.jobs.find(({ metadata }) => metadata.name === name)
  if (job === undefined) return { pod: null, at: 'unmade' }
  if ((job.status?.succeeded ?? 0) > 0) return { pod: null, at: 'ended' }
  const own = selectEvents(events, ({ uid }) => uid === job.metadata.uid)
  if ((job.status?.failed ?? 0) > 0) return podGone(job, own, options)
  const said = own.filter(({ reason }) => reason === 'FailedCreate').at(-1)
  if (said === undefined) return { pod: null, at: 'waiting' }
  return {
    pod: null,
    at: 'stuck',
    problem: describeProblem(`job/${name}`, said, { mayHeal: !isPermanent(said) }),
  }
}

/** Returns the standing of a pod. `isStopping`: a stop was requested, so k6's exit code says so. */
export function podStanding(pod: PodView, options: PodOptions): Standing {
  const object = `pod/${pod.metadata.name}`
  const { terminated, running } = containerState(pod)
  const own = selectEvents(options.events, ({ uid }) => uid === pod.metadata.uid)
  const event = own.at(-1)?.type === 'Warning' ? own.at(-1) : undefined
  const end = podFailure(pod, options)
  if (end !== null) {
    const problem = describeProblem(object, end, { event, see: end.see ?? 'describe' })
    return {
      at: 'failed',
      problem,
      failedAt: terminated?.finishedAt ?? pod.metadata.deletionTimestamp ?? null,
    }
  }
  if (terminated !== undefined) return { at: 'ended' }
  if (running !== undefined) return { at: 'running' }
  const said = whyPending(pod) ?? event
  if (said === undefined) return { at: 'waiting' }
  return { at: 'stuck', problem: describeProblem(object, said, { event, mayHeal: !isPermanent(said) }) }
}

const DELETED: Ended = { reason: 'the pod was deleted', see: 'events' }
/** k6's exit codes after a requested stop: through its REST API, or by a signal. */
const STOPPED = new Set([103, 105])
/** Exit codes of k6, or of its container, that a signal ended. */
const SIGNALED = new Set([105, 137])

/** Why a pod has failed, or is about to be taken away; null if it has not. */
function podFailure(pod: PodView, { isRunner, isStopping }: PodOptions): Ended | null {
  const { status = {}, metadata } = pod
  const { terminated } = containerState(pod)
  if (status.reason !== undefined && status.phase !== 'Pending') return status
  const isDeleted = metadata.deletionTimestamp !== undefined
  const taken = findCondition(pod, 'DisruptionTarget', 'True')
  if (terminated === undefined) {
    const lost = findCondition(pod, 'Ready', 'Unknown')
    if (taken !== undefined || lost !== undefined) return taken ?? lost ?? null
    if (status.phase === 'Unknown') return { reason: 'phase Unknown' }
    // A pod that was deleted to stop it completes normally.
    return isDeleted && !isStopping ? DELETED : null
  }
  const { exitCode, reason = 'Error', message } = terminated
  if (exitCode === 0 || (isStopping && STOPPED.has(exitCode))) return null
  // When a pod is evicted or deleted, its container exits first.
  if (SIGNALED.has(exitCode) && reason !== 'OOMKilled' && (taken !== undefined || isDeleted))
    return taken ?? DELETED
  if (reason !== 'Error') return { reason: `${reason} (exit code ${exitCode})`, message }
  if (exitCode === 137) return { reason: 'exit code 137', message: 'SIGKILL' }
  if (!isRunner) return { reason: `exit code ${exitCode}` }
  return { reason: `exit code ${exitCode}`, message: exitMeaning(exitCode, null), see: 'log' }
}

/** Waiting reasons of a container that makes progress. */
const PROGRESS = /^(?:ContainerCreating|PodInitializing)$/

function whyPending(pod: PodView): Said | undefined {
  const { waiting } = containerState(pod)
  if (waiting?.reason !== undefined && !PROGRESS.test(waiting.reason)) return waiting
  return findCondition(pod, 'PodScheduled', 'False')
}

const ALWAYS = /^/
const PULL_DENIED = /not found|unauthorized|forbidden|denied|manifest unknown/i
const CANNOT_BE_MADE = /not found|runAsNonRoot/

/** By reason: messages for which waiting cannot help. All others may be transient. */
const PERMANENT: Readonly<Record<string, RegExp>> = {
  ErrImageNeverPull: ALWAYS,
  InvalidImageName: ALWAYS,
  CrashLoopBackOff: ALWAYS,
  ErrImagePull: PULL_DENIED,
  ImagePullBackOff: PULL_DENIED,
  CreateContainerConfigError: CANNOT_BE_MADE,
  CreateContainerError: CANNOT_BE_MADE,
  RunContainerError: CANNOT_BE_MADE,
  FailedCreate:
    /admission webhook "|failed quota:|violates PodSecurity|(?:max|min)imum \S+ usage per|limit to request ratio/,
}

function isPermanent({ reason = '', message = '' }: Said): boolean {
  return PERMANENT[reason]?.test(message) === true
}

/** A Job that failed and has no pod had one, which was deleted; its events outlive it. */
function podGone(
  job: JobView,
  jobEvents: readonly EventView[],
  { events, isStopping }: Pick<PodOptions, 'events' | 'isStopping'>,
): { pod: string | null } & Standing {
  const made = jobEvents.map(({ message }) => /^Created pod: (.+)$/.exec(message ?? '')?.[1])
  const pod = made.find((name) => name !== undefined) ?? null
  if (isStopping) return { pod, at: 'ended' }
  const event = selectEvents(events, ({ name }) => name === pod).at(-1)
  const problem = describeProblem(pod === null ? `job/${job.metadata.name}` : `pod/${pod}`, DELETED, {
    event,
    see: 'events',
  })
  const failedAt = job.status?.conditions?.find(({ type }) => type === 'Failed')?.lastTransitionTime ?? null
  return { pod, at: 'failed', problem, failedAt }
}

function describeProblem(
  object: string,
  said: Said,
  { event, ...how }: { event?: EventView | undefined } & Partial<Pick<Problem, 'see' | 'mayHeal'>>,
): Problem {
  const says = formatEvent(said)
  const last = event === undefined ? '' : formatEvent(event)
  const isNew = !says.includes(rootCause(last)) && !REPEATS.test(last)
  return { object, says, event: isNew ? last : '', see: 'describe', mayHeal: false, ...how }
}

/** An event that only names the reason for which a container waits. */
const REPEATS = /^Failed: Error: \w+$/

function formatEvent({ reason, message }: Said): string {
  return [reason, message]
    .map((part) => oneLine(part ?? ''))
    .filter((part) => part !== '')
    .join(': ')
}

/** Each layer of a cluster puts its words before the cause. */
export function rootCause(says: string): string {
  return says.slice(says.lastIndexOf(': ') + 1).trim()
}

/** Text of the cluster, a registry or a log, fit for one line of a terminal. */
export function oneLine(text: string, lengthMax = 400): string {
  const line = visible(text).replace(/\s+/g, ' ').trim().replace(/\.$/, '')
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}…`
}

/** The first container: pods of a load have no other, unless a mesh adds one behind it. */
function containerState(pod: PodView): ContainerState {
  return pod.status?.containerStatuses?.[0]?.state ?? {}
}

export function findCondition(pod: PodView, type: string, status: string): ConditionView | undefined {
  return pod.status?.conditions?.find((one) => one.type === type && one.status === status)
}

/** Events that do not say why a pod does not begin, or why it is gone. */
const IGNORED_EVENTS = /^(?:MissingClusterDNS|DNSConfigForming|TaintManagerEviction: Canceling)/

function selectEvents(
  events: readonly EventView[],
  isOwn: (object: EventView['involvedObject']) => boolean,
): EventView[] {
  const getEventTime = ({ lastTimestamp, eventTime }: EventView) => lastTimestamp ?? eventTime ?? ''
  return events
    .filter((event) => isOwn(event.involvedObject) && !IGNORED_EVENTS.test(formatEvent(event)))
    .sort((one, other) => getEventTime(one).localeCompare(getEventTime(other)))
}

/** The parts of the cluster's objects that a diagnosis reads; the API returns more. */
export type PodView = {
  metadata: MetadataView
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: readonly ConditionView[]
    containerStatuses?: readonly { state?: ContainerState }[]
  }
}

export type JobView = {
  metadata: MetadataView
  status?: { succeeded?: number; failed?: number; conditions?: readonly ConditionView[] }
}

export type EventView = {
  involvedObject: { kind?: string; name?: string; uid?: string }
  type?: string
  reason?: string
  message?: string
  lastTimestamp?: string | null
  eventTime?: string | null
}

export type TestRunView = { metadata: MetadataView; status?: { stage?: string } }

type ConditionView = {
  type: string
  status: string
  reason?: string
  message?: string
  lastTransitionTime?: string | null
}

type ContainerState = {
  waiting?: { reason?: string; message?: string }
  running?: object
  terminated?: { exitCode: number; reason?: string; message?: string; finishedAt?: string | null }
}

type MetadataView = {
  name: string
  uid?: string
  labels?: Readonly<Record<string, string>>
  deletionTimestamp?: string
}
