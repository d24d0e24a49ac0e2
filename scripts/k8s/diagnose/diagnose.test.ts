import { expect, test } from 'vitest'
import type { PodView } from './cluster-view.ts'
import { type DiagnoseOptions, diagnose, diagnosePod } from './diagnose.ts'
import type { Standing } from './pod-standing.ts'
import { SEEN, type Seen } from './test-seen.ts'

const START_MS = 60_000
type Runners = [Standing['at'], Standing['at']]

/** `wait` states fail with the same message once the time to start is over. */
const STATES: [keyof typeof SEEN, 'wait' | 'fail', Runners, message: string, hint: string][] = [
  [
    'NEVER_PULLED',
    'fail',
    ['troubled', 'troubled'],
    'both runners: pod/run-1-ghgl9: ErrImageNeverPull: Container image "localhost/nowhere:1" is not present with pull policy of Never',
    'Check --image, --image-pull-policy and --image-pull-secret. `kubectl describe pod/run-1-ghgl9 -n loads` shows more; `k8s run --keep` leaves it there.',
  ],
  [
    'NO_REGISTRY',
    'wait',
    ['troubled', 'troubled'],
    'both runners: pod/run-1-sswpw: ImagePullBackOff: Back-off pulling image "registry.example/breakwater:1": ErrImagePull: failed to pull and unpack image "registry.example/breakwater:1": failed to resolve reference "registry.example/breakwater:1": failed to do request: Head "https://registry.example/v2/breakwater/manifests/1": dial tcp: lookup registry.example on 127.0.0.1:53: read udp 127.0.0.1:40907->127.0.0.1:53: read: connection refused',
    '--image-pull-secret',
  ],
  [
    'ONE_NODE',
    'wait',
    ['paused', 'troubled'],
    "runner 2: pod/run-2-9qbqr: Unschedulable: 0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod",
    '--separate needs a node for each runner.',
  ],
  [
    'NO_SECRET_TO_MOUNT',
    'wait',
    ['troubled', 'troubled'],
    'both runners: pod/run-1-4w4zs: FailedMount: MountVolume.SetUp failed for volume "config" : secret "nothing" not found',
    '`kubectl describe pod/run-1-4w4zs -n loads`',
  ],
  [
    'STARTER_WITHOUT_CURL',
    'fail',
    ['paused', 'paused'],
    'starter: pod/run-starter-45qw8: exit code 127',
    '--starter-image must name an image with `sh` and `curl` that nodes have or can pull.',
  ],
  [
    'QUOTA_OF_CPU',
    'fail',
    ['paused', 'troubled'],
    'runner 2: job/run-2: FailedCreate: Error creating: pods "run-2-fd9dr" is forbidden: exceeded quota: q, requested: limits.cpu=1, used: limits.cpu=1, limited: limits.cpu=1500m',
    'Lower --cpu, --memory or --parallelism. `kubectl describe job/run-2 -n loads`',
  ],
  [
    'QUOTA_BEFORE_STARTER',
    'wait',
    ['paused', 'paused'],
    'starter: job/run-starter: FailedCreate: Error creating: pods "run-starter-8qmtn" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    'Lower --cpu',
  ],
  [
    'POD_DELETED',
    'fail',
    ['failed', 'ended'],
    'runner 1: pod/run-1-rds79: the pod was deleted',
    'Run it again. `kubectl get events -n loads --field-selector involvedObject.name=run-1-rds79` shows more.',
  ],
  [
    'NODE_LOST',
    'fail',
    ['failed', 'failed'],
    'both runners: pod/run-1-87s5t: the pod was deleted; last event: TaintManagerEviction: Marking for deletion Pod load-lost/run-1-87s5t',
    'Run it again.',
  ],
  [
    'PREEMPTED',
    'fail',
    ['paused', 'failed'],
    'runner 2: pod/run-2-d5rcs: the pod was deleted; last event: Preempted: Preempted by pod 94aa703c-9dd2-42ef-b4e4-7a715551a24e on node far',
    'Run it again.',
  ],
  [
    'LOSING_NODE',
    'fail',
    ['failed', 'failed'],
    'both runners: pod/run-1-87s5t: DeletionByTaintManager: Taint manager: deleting due to NoExecute taint; last event: NodeNotReady: Node is not ready',
    '`kubectl describe pod/run-1-87s5t -n loads`',
  ],
  [
    'OUT_OF_MEMORY',
    'fail',
    ['ended', 'failed'],
    'runner 2: pod/run-2-vc5sq: OOMKilled (exit code 137)',
    'Raise --memory or --parallelism.',
  ],
  [
    'NO_K6',
    'fail',
    ['failed', 'failed'],
    'both runners: pod/run-1-9bbj8: StartError (exit code 128): failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "k6": executable file not found in $PATH: unknown',
    '--image must name an image of Breakwater for these nodes.',
  ],
  [
    'ABORTED',
    'fail',
    ['running', 'failed'],
    'runner 2: pod/run-2-mz48v: exit code 108: the script called test.abort()',
    'The log is in k6.stderr.log of the run folder.',
  ],
]

test.each(STATES)('%s: %s', (name, kind, at, message, hint) => {
  const early = diagnose(options(SEEN[name], { waitedMs: 10_000 }))
  expect(early.runners.map((runner) => runner.at)).toEqual(at)
  const failure = { kind: 'failed', sentence: message, hint: expect.stringContaining(hint) }
  expect(early.verdict).toMatchObject(kind === 'wait' ? { kind: 'waiting', why: message } : failure)
  expect(verdict(SEEN[name], { waitedMs: START_MS })).toMatchObject(failure)
})

const UNTAKEN: Seen = { testRun: { metadata: { name: 'run' } }, jobs: [], pods: [], events: [] }
const TAKEN: Seen = { ...UNTAKEN, testRun: { metadata: { name: 'run' }, status: { stage: 'initialized' } } }
const WITHOUT_STARTER: Seen = {
  ...SEEN.STARTING,
  jobs: SEEN.STARTING.jobs.filter(({ metadata }) => metadata.name !== 'run-starter'),
  pods: SEEN.STARTING.pods.filter(({ metadata }) => !metadata.name.startsWith('run-starter')),
}

test.each<[why: string, hint: string, Seen, limitMs: number]>([
  ['the operator to take testrun/run', 'kubectl get pods -n k6-operator-system', UNTAKEN, 30_000],
  ['the operator to make the runners', 'kubectl get jobs -n loads', TAKEN, START_MS],
  ['both runners to come up', '--start-timeout', SEEN.JUST_MADE, START_MS],
  ['the operator to find all runners ready', '--operator-namespace', WITHOUT_STARTER, START_MS],
  ['the starter to start the runners', 'kubectl describe job/run-starter -n loads', SEEN.STARTING, START_MS],
])('waits for %s, up to a limit', (why, hint, seen, limitMs) => {
  expect(verdict(seen, { waitedMs: limitMs - 1 })).toEqual({ kind: 'waiting', why })
  expect(verdict(seen, { waitedMs: limitMs })).toMatchObject({
    kind: 'failed',
    sentence: `gave up after ${limitMs / 1000} s of waiting for ${why}`,
    hint: expect.stringContaining(hint),
  })
})

test('a load that has started goes on, however long it takes', () => {
  expect(diagnose(options(SEEN.UNDER_WAY, { waitedMs: 10 * START_MS }))).toEqual({
    verdict: { kind: 'running' },
    runners: [
      { runner: 1, pod: 'run-1-mlsnt', at: 'running' },
      { runner: 2, pod: 'run-2-6q7rb', at: 'running' },
    ],
  })
})

test('a TestRun that the operator rejects, or that is deleted, fails; a deleted one has ended if it was to stop', () => {
  const rejected = { ...UNTAKEN, testRun: { metadata: { name: 'run' }, status: { stage: 'error' } } }
  expect(verdict(rejected)).toMatchObject({ sentence: expect.stringContaining('testrun/run: stage error') })
  const gone = { ...SEEN.UNDER_WAY, testRun: null }
  expect(verdict(gone)).toMatchObject({ kind: 'failed', sentence: 'testrun/run was deleted' })
  expect(verdict(gone, { isStopping: true })).toEqual({ kind: 'ended' })
})

test('runners that were asked to stop, or deleted to stop them, have ended', () => {
  const stopped = withExits({ 'run-1': 103, 'run-2': 105 })
  expect(verdict(stopped, { isStopping: true })).toEqual({ kind: 'ended' })
  expect(verdict(stopped)).toMatchObject({
    sentence: expect.stringContaining('exit code 105: ended by a signal'),
  })
  expect(verdict(SEEN.POD_DELETED, { isStopping: true })).toEqual({ kind: 'ended' })
  expect(verdict(SEEN.ABORTED, { isStopping: true })).toMatchObject({ kind: 'failed', logOf: 2 })
})

test('the first runner to fail is named, with all that failed for the same reason', () => {
  expect(verdict(withExits({ 'run-1': 107, 'run-2': 108 }))).toMatchObject({ logOf: 2 })
  expect(verdict(withExits({ 'run-1': 108, 'run-2': 108 }))).toMatchObject({
    sentence: 'both runners: pod/run-2-mz48v: exit code 108: the script called test.abort()',
    logOf: 1,
  })
  const { pods } = withExits({ 'run-1': 108, 'run-2': 108 })
  const many = ['run-3', 'run-4', 'run-5', 'run-6'].map((name) => podOf(name, pods[1]?.status))
  const text = (parallelism: number) => {
    const found = verdict({ ...SEEN.ABORTED, pods: [...pods, ...many] }, { parallelism })
    return found.kind === 'failed' ? found.sentence.split(': ')[0] : found.kind
  }
  expect([3, 4, 7].map(text)).toEqual(['all 3 runners', 'all 4 runners', '6 of 7 runners'])
})

test('a results pod that is gone, or has ended, ends the load, unless all runners have ended', () => {
  const under = (pods: readonly PodView[]) => ({ ...SEEN.UNDER_WAY, pods: [...SEEN.UNDER_WAY.pods, ...pods] })
  expect(verdict(under([]), { resultsPod: 'run-results' })).toMatchObject({
    kind: 'failed',
    sentence: 'pod/run-results: the pod was deleted',
    hint: 'What runners had not sent to it is lost: run it again.',
  })
  expect(verdict(under(SEEN.EVICTED.pods), { resultsPod: 'fat' })).toMatchObject({
    sentence: 'pod/fat: Evicted: Usage of EmptyDir volume "t" exceeds the limit "1Mi"',
  })
  const ended = withExits({ 'run-1': 0, 'run-2': 0 })
  expect(verdict(ended, { resultsPod: 'run-results' })).toEqual({ kind: 'ended' })
})

test('a collector that is restarted in its pod ends nothing, unless the pod is deleted', () => {
  const pods = [...SEEN.UNDER_WAY.pods, ...SEEN.RESTARTING.pods]
  expect(verdict({ ...SEEN.UNDER_WAY, pods }, { resultsPod: 'run-results' })).toEqual({ kind: 'running' })
  const deleted = pods.map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: '2026-11-22T11:31:15Z' },
  }))
  expect(verdict({ ...SEEN.UNDER_WAY, pods: deleted }, { resultsPod: 'run-results' }).kind).toBe('failed')
})

test.each<[string, object, expected: object]>([
  ['is ready', { conditions: [{ type: 'Ready', status: 'True' }] }, { kind: 'running' }],
  ['is not ready yet', {}, { kind: 'waiting', why: 'the results pod to become ready' }],
  [
    'waits for its image',
    { containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: 'timeout' } } }] },
    { kind: 'waiting', why: 'the results pod: pod/p: ErrImagePull: timeout' },
  ],
  [
    'cannot be made',
    {
      containerStatuses: [
        { state: { waiting: { reason: 'CreateContainerConfigError', message: 'runAsNonRoot' } } },
      ],
    },
    { kind: 'failed', sentence: 'the results pod: pod/p: CreateContainerConfigError: runAsNonRoot' },
  ],
  [
    'has exited',
    { containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] },
    { kind: 'failed', sentence: 'the results pod: pod/p has exited with code 0' },
  ],
])('a single pod that %s', (_, status, expected) => {
  const about = { role: 'the results pod', namespace: 'loads', events: [], startMs: START_MS }
  expect(diagnosePod(podOf('p', status), { ...about, waitedMs: 0 })).toMatchObject(expected)
  const late = diagnosePod(podOf('p', status), { ...about, waitedMs: START_MS })
  expect(late.kind).toBe('conditions' in status ? 'running' : 'failed')
  expect(diagnosePod(null, { ...about, waitedMs: 0 }).kind).toBe('failed')
})

function verdict(seen: Seen, over: Partial<DiagnoseOptions> = {}) {
  return diagnose(options(seen, over)).verdict
}

function options(seen: Seen, over: Partial<DiagnoseOptions> = {}): DiagnoseOptions {
  const about = { name: 'run', namespace: 'loads', parallelism: 2, resultsPod: null, isStopping: false }
  return { ...seen, ...about, waitedMs: 5_000, startMs: START_MS, ...over }
}

function podOf(job: string, status: PodView['status'] = {}): PodView {
  return { metadata: { name: job, labels: { 'job-name': job } }, status }
}

/** Runners that ended with these exit codes, the first one second after the second. */
function withExits(exits: Record<string, number>): Seen {
  const pods = SEEN.ABORTED.pods.map((pod) => {
    const job = pod.metadata.labels?.['job-name'] ?? ''
    const exitCode = exits[job]
    if (exitCode === undefined) return pod
    const finishedAt = `2026-11-22T10:32:0${job === 'run-1' ? 1 : 0}Z`
    return { ...pod, status: { containerStatuses: [{ state: { terminated: { exitCode, finishedAt } } }] } }
  })
  return { ...SEEN.ABORTED, pods }
}
