import type { Seen } from './test-seen.ts'

/** A quota of one pod. */
export const QUOTA_OF_PODS: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '1d81cd04' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '47d7a926' }, status: {} },
  ],
  pods: [
    {
      metadata: { name: 'run-1-ztsgl', uid: '180a3a0f', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: '47d7a926' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-2-27szs" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      lastTimestamp: '2026-11-22T10:30:34Z',
    },
  ],
}

/** A quota of 1.5 cores, of which each runner wants one. */
export const QUOTA_OF_CPU: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '1830619b' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '9660ccdf' }, status: {} },
  ],
  pods: [
    {
      metadata: { name: 'run-1-r49hs', uid: '5a0ea101', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: '9660ccdf' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-2-fd9dr" is forbidden: exceeded quota: q, requested: limits.cpu=1, used: limits.cpu=1, limited: limits.cpu=1500m',
      lastTimestamp: '2026-11-22T10:30:19Z',
    },
  ],
}

/** A quota of two pods, so that there is no room for the starter. */
export const QUOTA_BEFORE_STARTER: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    { metadata: { name: 'run-1', uid: 'b58d8728' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '32069fd8' }, status: { active: 1 } },
    { metadata: { name: 'run-starter', uid: 'e2c3a63f' }, status: {} },
  ],
  pods: [
    {
      metadata: { name: 'run-1-r8pj6', uid: '609fb64b', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-6swj5', uid: '15accbfb', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-starter', uid: 'e2c3a63f' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-starter-8qmtn" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
      lastTimestamp: '2026-11-22T10:31:45Z',
    },
  ],
}

/** A LimitRange of 64 MiB a container. */
export const LIMIT_RANGE: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '9d9da500' }, status: {} },
    { metadata: { name: 'run-2', uid: '7ee746ae' }, status: {} },
  ],
  pods: [],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-1', uid: '9d9da500' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-1-4lqrg" is forbidden: maximum memory usage per Container is 64Mi, but limit is 128Mi',
      lastTimestamp: '2026-11-22T10:30:20Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: '7ee746ae' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-2-vv2tb" is forbidden: maximum memory usage per Container is 64Mi, but limit is 128Mi',
      lastTimestamp: '2026-11-22T10:30:20Z',
    },
  ],
}

/** A namespace that enforces `restricted`, and pods that do not meet it. */
export const POD_SECURITY: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '97ba7be6' }, status: {} },
    { metadata: { name: 'run-2', uid: '210f118f' }, status: {} },
  ],
  pods: [],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-1', uid: '97ba7be6' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-1-bffn5" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "k6" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "k6" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "k6" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "k6" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      lastTimestamp: '2026-11-22T10:30:20Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: '210f118f' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-2-zbhbs" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "k6" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "k6" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "k6" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "k6" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      lastTimestamp: '2026-11-22T10:30:20Z',
    },
  ],
}

/** A service account that does not exist. */
export const NO_ACCOUNT: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '3935fb42' }, status: {} },
    { metadata: { name: 'run-2', uid: 'a1f9dd3d' }, status: {} },
  ],
  pods: [],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-1', uid: '3935fb42' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-1-" is forbidden: error looking up service account load-sa/nobody: serviceaccount "nobody" not found',
      lastTimestamp: '2026-11-22T10:30:21Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: 'a1f9dd3d' },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: pods "run-2-" is forbidden: error looking up service account load-sa/nobody: serviceaccount "nobody" not found',
      lastTimestamp: '2026-11-22T10:30:21Z',
    },
  ],
}
