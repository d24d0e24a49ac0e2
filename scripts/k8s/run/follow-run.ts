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

/** How the runners of a run ended, and what the cluster told last. */
export type Followed = {
  how: 'ended' | 'failed' | 'interrupted' | 'deadline'
  /** When that was seen: what follows from it may hide it. */
  verdict: Verdict
  /** At the very end. */
  runners: readonly RunnerState[]
}

export type FollowOptions = {
  name: string
  parallelism: number
  /** The pod that takes what runners measure; null: there is none. */
  resultsPod: string | null
  /** For all runners to have begun. */
  startSeconds: number
  /** For the load, from then on. */
  loadSeconds: number
  signal: AbortSignal
  /** Whether that ends the load. */
  endsLoad: boolean
  /** Told each time that the cluster was looked at. */
  onDiagnosis: (diagnosis: Diagnosis) => void
  /** Another for tests. */
  clock?: FollowClock
}

export type FollowClock = {
  /** Since some time. */
  nowMs(): number
  /** Waits so long, or until the signal. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
}

const REAL_CLOCK: FollowClock = {
  nowMs: () => performance.now(),
  wait: (ms, signal) => wait(ms, undefined, signal && { signal }).catch(() => {}), // woken
}

export type FollowedCluster = Pick<Cluster, 'get' | 'list' | 'askPod' | 'remove' | 'namespace'>

/** More runners are looked at less often: each is a piece of what the API server has to send. */
const LOOK_MS_MIN = 1000
const LOOK_MS_EACH = 20
/** An API server that is upgraded, or a network that is down for a moment, ends no load. */
const UNREACHED_MS_MAX = 60_000
/** For k6 to make its VUs, and for clients that still wait at the end. */
const BEYOND_MS = 60_000
/** For runners that were told to end. */
const STOP_MS = 40_000

/**
 * Looks at a run until its runners have ended, or cannot begin. Told to end, or where one of them has failed, it has the others end
 * as k6 does, with what they measured. Throws a BreakwaterError where the cluster does not answer for a minute.
 */
export async function followRun(cluster: FollowedCluster, options: FollowOptions): Promise<Followed> {
  const { signal, onDiagnosis, clock = REAL_CLOCK } = options
  const read = patientReader(cluster, options.name, clock)
  const lookMs = Math.max(LOOK_MS_MIN, options.parallelism * LOOK_MS_EACH)
  const startedMs = clock.nowMs()
  let runningMs = Number.POSITIVE_INFINITY
  let stopped: (Pick<Followed, 'how' | 'verdict'> & { atMs: number }) | undefined
  for (;;) {
    const state = await read()
    const nowMs = clock.nowMs()
    if (state !== null) {
      const { namespace } = cluster
      const now = { namespace, waitedMs: nowMs - startedMs, isStopping: stopped !== undefined }
      const diagnosis = diagnosisOf(state, options, now)
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

/** Reads what the cluster tells; null where it does not answer, which it must not do for long. */
function patientReader(cluster: FollowedCluster, name: string, clock: FollowClock) {
  let readMs = clock.nowMs()
  return async (): Promise<ClusterState | null> => {
    try {
      const state = await readState(cluster, name)
      readMs = clock.nowMs()
      return state
    } catch (error) {
      if (error instanceof BreakwaterError && clock.nowMs() <= readMs + UNREACHED_MS_MAX) return null
      throw error
    }
  }
}

function diagnosisOf(
  state: ClusterState,
  { name, parallelism, resultsPod, startSeconds }: FollowOptions,
  now: { waitedMs: number; isStopping: boolean; namespace: string },
): Diagnosis {
  const startMs = startSeconds * 1000
  return diagnose({ ...state, ...now, name, parallelism, resultsPod, startMs })
}

/** Null: it goes on. */
function howToEnd(
  verdict: Verdict,
  { isInterrupted, isLate }: { isInterrupted: boolean; isLate: boolean },
): Followed['how'] | null {
  if (verdict.kind === 'ended' || verdict.kind === 'failed') return verdict.kind
  if (isInterrupted) return 'interrupted'
  return isLate ? 'deadline' : null
}

/** Those whose k6 is up. */
function podsGoing(runners: readonly RunnerState[]): string[] {
  return runners.flatMap(({ at, pod }) =>
    (at === 'running' || at === 'paused') && pod !== null ? [pod] : [],
  )
}

/** What the cluster tells of a run at one time. */
type ClusterState = {
  testRun: TestRunView | null
  jobs: readonly JobView[]
  /** Of runners, starter, and results. */
  pods: readonly PodView[]
  /** Of all these, and of pods that are gone. */
  events: readonly EventView[]
}

/** Reads all that is told of the run of a name. Throws a BreakwaterError where the cluster does not answer. */
async function readState(cluster: Pick<Cluster, 'get' | 'list'>, name: string): Promise<ClusterState> {
  const list = <View>(kind: Kind, labels?: string) =>
    cluster.list<View & KubeObject>(kind, labels === undefined ? {} : { labels })
  const [testRun, jobs, made, own, events] = await Promise.all([
    cluster.get<TestRunView & KubeObject>('TestRun', name),
    list<JobView>('Job', `app=k6,k6_cr=${name}`),
    list<PodView>('Pod', `app=k6,k6_cr=${name}`),
    list<PodView>('Pod', `app.kubernetes.io/instance=${name},app.kubernetes.io/managed-by=breakwater`),
    list<EventView>('Event'),
  ])
  const pods = [...new Map([...made, ...own].map((pod) => [pod.metadata.name, pod])).values()]
  // Of pods too that are gone: their names begin so.
  const isOfRun = ({ involvedObject }: EventView) => involvedObject.name?.startsWith(name) === true
  return { testRun, jobs, pods, events: events.filter(isOfRun) }
}

export type EndOfRun = ClusterEnd & {
  k6: Pick<K6Run, 'exitCode' | 'reason' | 'meaning'>
  /** What went wrong, and what to do; null: nothing. */
  failure: Pick<Failure, 'sentence' | 'hint'> | null
}

/** How a run ended, for its trial and for run.json. `logs`: what the runners said, by their numbers. */
export function endOfRun(followed: Followed, logs: ReadonlyMap<number, string>): EndOfRun {
  const failure = failureOf(followed, logs)
  if (failure !== null) {
    const { sentence } = failure
    const reason = followed.how === 'deadline' ? 'deadline' : 'finished'
    return {
      ended: 'broken',
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
    ended: 'whole',
    reason: null,
    k6: { exitCode: 0, reason: 'finished', meaning: 'finished' },
    failure,
  }
}

function failureOf({ how, verdict }: Followed, logs: ReadonlyMap<number, string>): EndOfRun['failure'] {
  if (how === 'deadline') return LATE
  if (verdict.kind !== 'failed') return null
  return withLog(verdict, logs.get(verdict.logOf ?? 0) ?? '')
}

const LATE = {
  sentence: 'the runners did not end in time',
  hint: 'A target that answers no more keeps clients waiting: their logs are in k6.stderr.log.',
}

/**
 * Adds to a failure what the log of its runner says: that the target does not serve, or the last words of k6. A log quotes a target:
 * it is shown as one line fit for a terminal.
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

/** The last line that is neither empty nor indented, as stacks and summaries are, without the frame of k6's own log. */
function lastWords(log: string): string {
  const line = log.split('\n').findLast((one) => /^\S/.test(one)) ?? ''
  const framed = /^time="[^"]*" level=\w+ msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  return oneLine(framed?.replaceAll('\\"', '"') ?? line)
}

/** What keeps a load from being made, as the error of a command. */
export function failureError({ sentence, hint }: Pick<Failure, 'sentence' | 'hint'>): BreakwaterError {
  return new BreakwaterError(sentence, { hint, exitCode: EXIT.environment })
}
