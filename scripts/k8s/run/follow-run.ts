import { setTimeout as wait } from 'node:timers/promises'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { targetProblemIn } from '../../../contract/response-bounds.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import type { Kind, KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import {
  type Diagnosis,
  diagnose,
  type Failure,
  type RunnerState,
  type Verdict,
} from '../diagnose/diagnose.ts'
import {
  type EventView,
  type JobView,
  oneLine,
  type PodView,
  type TestRunView,
} from '../diagnose/pod-standing.ts'
import { stopRunners } from './clean-up.ts'
import type { ClusterEnd } from './cluster-facts.ts'

/** How the runners ended, and the last state of the cluster. */
export type Followed = {
  how: 'ended' | 'failed' | 'interrupted' | 'deadline'
  /** When the verdict was reached; stopping the others may hide its cause. */
  verdict: Verdict
  runners: readonly RunnerState[]
}

export type FollowOptions = {
  /** The name of the TestRun. */
  name: string
  /** Label of the other objects; default: the name of the TestRun. */
  instance?: string
  parallelism: number
  resultsPod: string | null
  startSeconds: number
  loadSeconds: number
  signal: AbortSignal
  endsLoad: boolean
  onDiagnosis: (diagnosis: Diagnosis) => void
  clock?: FollowClock
}

export type FollowClock = {
  /** Any monotonic origin. */
  nowMs(): number
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
}

const REAL_CLOCK: FollowClock = {
  nowMs: () => performance.now(),
  wait: (ms, signal) => wait(ms, undefined, signal && { signal }).catch(() => {}), // woken
}

export type FollowedCluster = Pick<Cluster, 'get' | 'list' | 'requestPod' | 'remove' | 'namespace'>

/** Polling slows down with more runners, because each adds to the API server's response. */
const POLL_MS_MIN = 1000
const POLL_MS_PER_RUNNER = 20
/** An API server upgrade or a brief network outage does not end a load. */
const UNREACHED_MS_MAX = 60_000
/** For k6 to create its VUs, and for clients still waiting at the end. */
const BEYOND_MS = 60_000
const STOP_MS = 40_000

/**
 * Polls a run until its runners have ended or cannot start. On an interruption, or if a runner fails, it stops the
 * others, which keep their measurements. Throws a BreakwaterError if the cluster does not respond for a minute.
 */
export async function followRun(cluster: FollowedCluster, options: FollowOptions): Promise<Followed> {
  const { signal, onDiagnosis, clock = REAL_CLOCK } = options
  const read = patientReader(cluster, options, clock)
  const lookMs = Math.max(POLL_MS_MIN, options.parallelism * POLL_MS_PER_RUNNER)
  const startedMs = clock.nowMs()
  let runningMs = Number.POSITIVE_INFINITY
  let stopped: (Pick<Followed, 'how' | 'verdict'> & { atMs: number }) | undefined
  for (;;) {
    const state = await read()
    const nowMs = clock.nowMs()
    if (state !== null) {
      const { namespace } = cluster
      const now = { namespace, waitedMs: nowMs - startedMs, isStopping: stopped !== undefined }
      const diagnosis = diagnoseState(state, options, now)
      const { runners, verdict } = diagnosis
      onDiagnosis(diagnosis)
      if (verdict.kind === 'running') runningMs = Math.min(runningMs, nowMs)
      const isLate = nowMs > runningMs + options.loadSeconds * 1000 + BEYOND_MS
      const how = howToEnd(verdict, { isInterrupted: signal.aborted, isLate })
      if (how === 'interrupted' && !options.endsLoad) return { how, verdict, runners }
      const going = podsGoing(runners)
      if (how !== null && stopped === undefined) {
        stopped = { how, verdict, atMs: nowMs }
        await stopRunners(cluster, going)
      }
      if (stopped !== undefined && (going.length === 0 || nowMs > stopped.atMs + STOP_MS))
        return { how: stopped.how, verdict: stopped.verdict, runners }
    }
    await clock.wait(lookMs, stopped === undefined ? signal : undefined)
  }
}

type Named = Pick<FollowOptions, 'name' | 'instance'>

/** Null: the cluster did not respond, which is tolerated only briefly. */
function patientReader(cluster: FollowedCluster, options: Named, clock: FollowClock) {
  let readMs = clock.nowMs()
  return async (): Promise<ClusterState | null> => {
    try {
      const state = await readState(cluster, options)
      readMs = clock.nowMs()
      return state
    } catch (error) {
      if (error instanceof BreakwaterError && clock.nowMs() <= readMs + UNREACHED_MS_MAX) return null
      throw error
    }
  }
}

function diagnoseState(
  state: ClusterState,
  { name, parallelism, resultsPod, startSeconds }: FollowOptions,
  now: { waitedMs: number; isStopping: boolean; namespace: string },
): Diagnosis {
  const startMs = startSeconds * 1000
  return diagnose({ ...state, ...now, name, parallelism, resultsPod, startMs })
}

function howToEnd(
  verdict: Verdict,
  { isInterrupted, isLate }: { isInterrupted: boolean; isLate: boolean },
): Followed['how'] | null {
  if (verdict.kind === 'ended' || verdict.kind === 'failed') return verdict.kind
  if (isInterrupted) return 'interrupted'
  return isLate ? 'deadline' : null
}

function podsGoing(runners: readonly RunnerState[]): string[] {
  return runners.flatMap(({ at, pod }) =>
    (at === 'running' || at === 'paused') && pod !== null ? [pod] : [],
  )
}

type ClusterState = {
  testRun: TestRunView | null
  jobs: readonly JobView[]
  pods: readonly PodView[]
  events: readonly EventView[]
}

async function readState(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { name, instance = name }: Named,
): Promise<ClusterState> {
  const list = <View>(kind: Kind, labels?: string) =>
    cluster.list<View & KubeObject>(kind, labels === undefined ? {} : { labels })
  const [testRun, jobs, made, own, events] = await Promise.all([
    cluster.get<TestRunView & KubeObject>('TestRun', name),
    list<JobView>('Job', `app=k6,k6_cr=${name}`),
    list<PodView>('Pod', `app=k6,k6_cr=${name}`),
    list<PodView>('Pod', `app.kubernetes.io/instance=${instance},app.kubernetes.io/managed-by=breakwater`),
    list<EventView>('Event'),
  ])
  const pods = [...new Map([...made, ...own].map((pod) => [pod.metadata.name, pod])).values()]
  // Includes deleted pods: their names have this prefix.
  const belongsToRun = ({ involvedObject }: EventView) => involvedObject.name?.startsWith(name) === true
  return { testRun, jobs, pods, events: events.filter(belongsToRun) }
}

export type EndOfRun = ClusterEnd & {
  k6: Pick<K6Run, 'exitCode' | 'reason' | 'meaning'>
  failure: Pick<Failure, 'sentence' | 'hint'> | null
}

/** Describes the end for the trial and run.json. `logs`: by runner number. */
export function concludeRun(followed: Followed, logs: ReadonlyMap<number, string>): EndOfRun {
  const failure = describeFailure(followed, logs)
  if (failure !== null) {
    const { sentence } = failure
    const reason = followed.how === 'deadline' ? 'deadline' : 'finished'
    return {
      ended: 'crashed',
      reason: sentence,
      k6: { exitCode: null, reason, meaning: sentence },
      failure,
    }
  }
  if (followed.how === 'interrupted')
    return {
      ended: 'interrupted',
      reason: 'it was interrupted',
      k6: { exitCode: 0, reason: 'interrupted', meaning: 'interrupted' },
      failure,
    }
  return {
    ended: 'completed',
    reason: null,
    k6: { exitCode: 0, reason: 'finished', meaning: 'finished' },
    failure,
  }
}

function describeFailure({ how, verdict }: Followed, logs: ReadonlyMap<number, string>): EndOfRun['failure'] {
  if (how === 'deadline') return LATE
  if (verdict.kind !== 'failed') return null
  return withLog(verdict, logs.get(verdict.logRunner ?? 0) ?? '')
}

const LATE = {
  sentence: 'the runners did not end in time',
  hint: 'Clients of a target that stopped responding wait: see k6.stderr.log.',
}

/**
 * Appends the cause from the runner's log: a target that does not serve, or k6's last line. Logs may quote the target,
 * so the text is escaped to one terminal line.
 */
function withLog({ sentence, hint }: Failure, log: string): EndOfRun['failure'] {
  const problem = targetProblemIn(log)
  const [runners = ''] = sentence.split(': ', 1)
  if (problem !== undefined)
    return {
      sentence: `${runners}: the target does not serve the load: ${oneLine(problem)}`,
      hint: 'Check from within the cluster that baseUrl is right, and that pods can reach it (DNS, network policies, proxies).',
    }
  const words = lastWords(log)
  return { sentence: words === '' ? sentence : `${sentence}; its log ends: ${words}`, hint }
}

/** The last line that is neither empty nor indented (stacks and summaries), without k6's log prefix. */
function lastWords(log: string): string {
  const line = log.split('\n').findLast((one) => /^\S/.test(one)) ?? ''
  const framed = /^time="[^"]*" level=\w+ msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  return oneLine(framed?.replaceAll('\\"', '"') ?? line)
}

export function failureError({ sentence, hint }: Pick<Failure, 'sentence' | 'hint'>): BreakwaterError {
  return new BreakwaterError(sentence, { hint, exitCode: EXIT.environment })
}
