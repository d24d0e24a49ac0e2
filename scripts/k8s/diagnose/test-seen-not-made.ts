import type { Seen } from './test-seen.ts'

/** A Secret for an environment variable that does not exist. */
export const NO_SECRET_FOR_ENV: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '8661aeaa' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '2e5e2f56' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-bk2zg', uid: 'f0082fde', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [k6]',
          },
        ],
        containerStatuses: [
          {
            ready: false,
            state: {
              waiting: { reason: 'CreateContainerConfigError', message: 'secret "nothing" not found' },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-hwjxn', uid: '761e557d', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [k6]',
          },
        ],
        containerStatuses: [
          {
            ready: false,
            state: {
              waiting: { reason: 'CreateContainerConfigError', message: 'secret "nothing" not found' },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-2-hwjxn', uid: '761e557d' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: secret "nothing" not found',
      lastTimestamp: '2026-11-22T10:30:33Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-bk2zg', uid: 'f0082fde' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: secret "nothing" not found',
      lastTimestamp: '2026-11-22T10:30:34Z',
    },
  ],
}

/** A Secret to be mounted that does not exist. */
export const NO_SECRET_TO_MOUNT: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '307769a2' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '0eca7ff6' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-4w4zs', uid: '2d8a550f', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [k6]',
          },
        ],
        containerStatuses: [{ ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
      },
    },
    {
      metadata: { name: 'run-2-929xn', uid: 'd3148436', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [k6]',
          },
        ],
        containerStatuses: [{ ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-4w4zs', uid: '2d8a550f' },
      type: 'Warning',
      reason: 'FailedMount',
      message: 'MountVolume.SetUp failed for volume "config" : secret "nothing" not found',
      lastTimestamp: '2026-11-22T10:30:25Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-929xn', uid: 'd3148436' },
      type: 'Warning',
      reason: 'FailedMount',
      message: 'MountVolume.SetUp failed for volume "config" : secret "nothing" not found',
      lastTimestamp: '2026-11-22T10:30:25Z',
    },
  ],
}

/** A Job of the first runner’s name that the operator did not make. */
export const JOB_OF_BEFORE: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'initialized' } },
  jobs: [{ metadata: { name: 'run-1', uid: '822ab339' }, status: { active: 1 } }],
  pods: [
    {
      metadata: { name: 'run-1-kkf7w', uid: '84a7fe98', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/pause:1' }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
  ],
  events: [],
}
