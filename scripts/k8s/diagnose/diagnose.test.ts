import { expect, test } from 'vitest'
import { diagnose } from './diagnose.ts'
import type { Seen } from './test-seen.ts'
import * as disruptions from './test-seen-disruptions.ts'
import * as ends from './test-seen-ends.ts'
import * as exits from './test-seen-exits.ts'
import * as images from './test-seen-images.ts'
import * as notMade from './test-seen-not-made.ts'
import * as refusals from './test-seen-refusals.ts'
import * as registries from './test-seen-registries.ts'
import * as starters from './test-seen-starters.ts'
import * as unscheduled from './test-seen-unscheduled.ts'
import type { Failure, RunnerState } from './verdict.ts'

const START_MS = 120_000

type Expected = {
  at: [RunnerState['at'], RunnerState['at']]
  sentence: string
  hint: RegExp
  whose: Failure['whose']
  runner?: number
  /** It fails only when the time to start is over, and until then waits. */
  isWaitedFor?: true
}

const QUOTA = 'the namespace’s quota refuses the pod: q, requested: '
const EXPECTED: Record<string, Expected> = {
  NEVER_PULLED: {
    at: ['troubled', 'troubled'],
    sentence: 'both runners: the image localhost/nowhere:1 is not on the node, and its pull policy is Never',
    hint: /--image-pull-policy/,
    whose: 'cluster',
  },
  BAD_NAME: {
    at: ['troubled', 'troubled'],
    sentence: 'both runners: Localhost/BAD NAME is no name of an image',
    hint: /REGISTRY\/NAME:TAG/,
    whose: 'cluster',
  },
  NO_REGISTRY: {
    at: ['troubled', 'troubled'],
    sentence:
      'both runners: the image registry.example/breakwater:1 cannot be pulled: failed to do request: Head "https://registry.example/v2/breakwater/manifests/1": dial tcp: lookup registry.example on 127.0.0.1:53: read udp 127.0.0.1:40907->127.0.0.1:53: read: connection refused',
    hint: /--image-pull-secret/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  NOT_IN_REGISTRY: {
    at: ['troubled', 'troubled'],
    sentence:
      'both runners: the image localhost:5001/breakwater:1 cannot be pulled: localhost:5001/breakwater:1: not found',
    hint: /name right/,
    whose: 'cluster',
  },
  NO_ACCESS: {
    at: ['troubled', 'troubled'],
    sentence:
      'both runners: the image localhost:5002/breakwater:1 cannot be pulled: pulling from host localhost:5002 failed with status code [manifests 1]: 401 Unauthorized',
    hint: /--image-pull-secret/,
    whose: 'cluster',
  },
  STARTER_NEVER_PULLED: {
    at: ['paused', 'paused'],
    sentence: 'the starter: the image localhost/nowhere:1 is not on the node, and its pull policy is Never',
    hint: /--starter-image/,
    whose: 'cluster',
  },
  STARTER_WITHOUT_CURL: {
    at: ['paused', 'paused'],
    sentence: 'the starter: ended with exit code 127: the image has no curl',
    hint: /--starter-image/,
    whose: 'cluster',
  },
  QUOTA_OF_PODS: {
    at: ['paused', 'troubled'],
    sentence: `runner 2: ${QUOTA}pods=1, used: pods=1, limited: pods=1`,
    hint: /--parallelism/,
    whose: 'cluster',
  },
  QUOTA_OF_CPU: {
    at: ['paused', 'troubled'],
    sentence: `runner 2: ${QUOTA}limits.cpu=1, used: limits.cpu=1, limited: limits.cpu=1500m`,
    hint: /resourcequota/,
    whose: 'cluster',
  },
  QUOTA_BEFORE_STARTER: {
    at: ['paused', 'paused'],
    sentence: `the starter: ${QUOTA}pods=1, used: pods=2, limited: pods=2`,
    hint: /resourcequota/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  LIMIT_RANGE: {
    at: ['troubled', 'troubled'],
    sentence:
      'both runners: a LimitRange of the namespace refuses the pod: maximum memory usage per Container is 64Mi, but limit is 128Mi',
    hint: /limitrange/,
    whose: 'cluster',
  },
  POD_SECURITY: {
    at: ['troubled', 'troubled'],
    sentence: `both runners: pod security refuses the pod: it violates "restricted:latest": allowPrivilegeEscalation != false (container "k6" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "k6" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "k6" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "k6" must set securityContext.seccompProfile.type to "…`,
    hint: /restricted/,
    whose: 'cluster',
  },
  NO_ACCOUNT: {
    at: ['troubled', 'troubled'],
    sentence:
      'both runners: the pod is refused for the service account: load-sa/nobody: serviceaccount "nobody" not found',
    hint: /service account/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  TOO_MANY_CORES: {
    at: ['troubled', 'troubled'],
    sentence: 'both runners: no node takes the pod: 0/1 nodes are available: 1 Insufficient cpu',
    hint: /--cpu and --memory/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  ONE_NODE: {
    at: ['paused', 'troubled'],
    sentence:
      "runner 2: no node takes the pod: 0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules",
    hint: /--separate/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  NO_CLAIM: {
    at: ['troubled', 'troubled'],
    sentence:
      'both runners: no node takes the pod: 0/1 nodes are available: persistentvolumeclaim "nothing" not found. not found',
    hint: /ReadWriteMany/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  NO_SECRET_FOR_ENV: {
    at: ['troubled', 'troubled'],
    sentence: 'both runners: the container cannot be made: secret "nothing" not found',
    hint: /describe pod/,
    whose: 'cluster',
  },
  NO_SECRET_TO_MOUNT: {
    at: ['troubled', 'troubled'],
    sentence: 'both runners: MountVolume.SetUp failed for volume "config" : secret "nothing" not found',
    hint: /describe pod/,
    whose: 'cluster',
    isWaitedFor: true,
  },
  JOB_OF_BEFORE: {
    at: ['paused', 'unmade'],
    sentence: 'the operator did not make all runners',
    hint: /kubectl get jobs/,
    whose: 'operator',
    isWaitedFor: true,
  },
  OUT_OF_MEMORY: {
    at: ['ended', 'failed'],
    sentence: 'runner 2: out of memory: the limit is 100Mi',
    hint: /--memory/,
    whose: 'runner',
    runner: 2,
  },
  POD_DELETED: {
    at: ['failed', 'ended'],
    sentence: 'runner 1: the pod was deleted',
    hint: /run it again/,
    whose: 'cluster',
    runner: 1,
  },
  KILLED: {
    at: ['failed', 'ended'],
    sentence: 'runner 1: killed (exit code 137)',
    hint: /SIGKILL/,
    whose: 'cluster',
    runner: 1,
  },
  NODE_LOST: {
    at: ['failed', 'failed'],
    sentence: 'both runners: the node is not reached any more, and the pod was deleted',
    hint: /run it again/,
    whose: 'cluster',
    runner: 1,
  },
  LOSING_NODE: {
    at: ['failed', 'failed'],
    sentence: 'both runners: taken off the node, which is not reached or is not to have it any more',
    hint: /run it again/,
    whose: 'cluster',
    runner: 1,
  },
  PREEMPTED: {
    at: ['paused', 'failed'],
    sentence: 'runner 2: the pod was deleted to make room for one of higher priority',
    hint: /run it again/,
    whose: 'cluster',
    runner: 2,
  },
  BAD_OPTION: {
    at: ['failed', 'failed'],
    sentence:
      'both runners: k6 ended with exit code 255: k6 could not start the run: a file is missing, an option unknown, or an output cannot be written',
    hint: /log/,
    whose: 'runner',
    runner: 1,
  },
  TARGET_REFUSED: {
    at: ['failed', 'failed'],
    sentence: 'both runners: k6 ended with exit code 107: the script threw an exception',
    hint: /log/,
    whose: 'runner',
    runner: 1,
  },
  ABORTED: {
    at: ['running', 'failed'],
    sentence: 'runner 2: k6 ended with exit code 108: the script called test.abort()',
    hint: /log/,
    whose: 'runner',
    runner: 2,
  },
  NO_K6: {
    at: ['failed', 'failed'],
    sentence:
      'both runners: the container could not be started: exec: "k6": executable file not found in $PATH',
    hint: /image of Breakwater/,
    whose: 'runner',
    runner: 1,
  },
}

const SEEN: Record<string, Seen> = {
  ...disruptions,
  ...ends,
  ...exits,
  ...images,
  ...notMade,
  ...refusals,
  ...registries,
  ...starters,
  ...unscheduled,
}

test('each trouble that was seen is expected here', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(SEEN).sort())
})

test.for(Object.entries(EXPECTED))('%s', ([name, { at, hint, runner = null, isWaitedFor, ...said }]) => {
  const seen = SEEN[name]
  if (seen === undefined) throw new Error(`not seen: ${name}`)
  const at10s = diagnosed(seen, 10_000)
  expect(at10s.runners.map((one) => one.at)).toEqual(at)
  const failure = { kind: 'failed', ...said, runner, hint: expect.stringMatching(hint) }
  expect(diagnosed(seen, START_MS).verdict).toEqual(failure)
  if (!isWaitedFor) expect(at10s.verdict).toEqual(failure)
  else expect(at10s.verdict.kind).toBe('waiting')
})

function diagnosed(seen: Seen, waitedMs: number) {
  const about = { name: 'run', parallelism: 2, resultsPod: null, isStopping: false }
  return diagnose({ ...seen, ...about, waitedMs, startMs: START_MS })
}
