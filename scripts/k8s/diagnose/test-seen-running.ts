import type { Seen } from './test-seen.ts'

/** A moment after the TestRun was made. */
export const JUST_MADE: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '5c5d1001' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: 'e69efc4f' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-mlsnt', uid: '1fe4701a', labels: { 'job-name': 'run-1' } },
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
      metadata: { name: 'run-2-6q7rb', uid: '4ecab860', labels: { 'job-name': 'run-2' } },
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
  events: [],
}

/** The starter’s container is being made. */
export const STARTING: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '5c5d1001' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: 'e69efc4f' }, status: { active: 1 } },
    { metadata: { name: 'run-starter', uid: 'f95568e5' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-mlsnt', uid: '1fe4701a', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-6q7rb', uid: '4ecab860', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-starter-7gxcb', uid: '15ebb6fd', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [k6-curl]',
          },
        ],
        containerStatuses: [{ ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
      },
    },
  ],
  events: [],
}

/** All is well. */
export const UNDER_WAY: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '5c5d1001' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: 'e69efc4f' }, status: { active: 1 } },
    { metadata: { name: 'run-starter', uid: 'f95568e5' }, status: { succeeded: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-mlsnt', uid: '1fe4701a', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-6q7rb', uid: '4ecab860', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-starter-7gxcb', uid: '15ebb6fd', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:34:23Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}
