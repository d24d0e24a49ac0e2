// Recorded states of a real cluster: whether a run waits or fails, and with which message.
import { expect, test } from 'vitest'
import { diagnose } from './diagnose.ts'
import type { Standing } from './pod-standing.ts'
import { SEEN } from './test-seen.ts'

const START_MS = 60_000
type Runners = [Standing['at'], Standing['at']]

/** `wait` states fail with the same message once the time to start is over. */
const STATES: [keyof typeof SEEN, 'wait' | 'fail', Runners, message: string, hint: string][] = [
  [
    'NEVER_PULLED',
    'fail',
    ['stuck', 'stuck'],
    'both runners: pod/run-1-ghgl9: ErrImageNeverPull: Container image "localhost/nowhere:1" is not present with pull policy of Never',
    'Check --image, --image-pull-policy and --image-pull-secret. `kubectl describe pod/run-1-ghgl9 -n loads` shows more; `k8s run --no-cleanup` leaves it there.',
  ],
  [
    'NO_REGISTRY',
    'wait',
    ['stuck', 'stuck'],
    'both runners: pod/run-1-sswpw: ImagePullBackOff: Back-off pulling image "registry.example/breakwater:1": ErrImagePull: failed to pull and unpack image "registry.example/breakwater:1": failed to resolve reference "registry.example/breakwater:1": failed to do request: Head "https://registry.example/v2/breakwater/manifests/1": dial tcp: lookup registry.example on 127.0.0.1:53: read udp 127.0.0.1:40907->127.0.0.1:53: read: connection refused',
    '--image-pull-secret',
  ],
  [
    'ONE_NODE',
    'wait',
    ['paused', 'stuck'],
    "runner 2: pod/run-2-9qbqr: Unschedulable: 0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod",
    '--one-runner-per-node needs a node for each runner.',
  ],
  [
    'NO_SECRET_TO_MOUNT',
    'wait',
    ['stuck', 'stuck'],
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
    'wait',
    ['paused', 'stuck'],
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
  const about = { name: 'run', namespace: 'loads', parallelism: 2, resultsPod: null, isStopping: false }
  const diagnoseAt = (waitedMs: number) => diagnose({ ...SEEN[name], ...about, waitedMs, startMs: START_MS })
  const early = diagnoseAt(10_000)
  expect(early.runners.map((runner) => runner.at)).toEqual(at)
  const logRunner = name === 'ABORTED' ? 2 : null
  const failure = { kind: 'failed', sentence: message, hint: expect.stringContaining(hint), logRunner }
  expect(early.verdict).toMatchObject(kind === 'wait' ? { kind: 'waiting', why: message } : failure)
  expect(diagnoseAt(START_MS).verdict).toMatchObject(failure)
})
