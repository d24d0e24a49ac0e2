import type { Seen } from './test-seen.ts'

/** An option that k6 does not have. */
export const BAD_OPTION: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    {
      metadata: { name: 'run-1', uid: 'a22c53b2' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:21Z' }],
      },
    },
    {
      metadata: { name: 'run-2', uid: 'c0b79944' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:21Z' }],
      },
    },
  ],
  pods: [
    {
      metadata: { name: 'run-1-7jjtv', uid: '5c83cbcc', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 255, reason: 'Error', finishedAt: '2026-11-22T10:31:18Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-w9zvz', uid: 'fb37e0e4', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 255, reason: 'Error', finishedAt: '2026-11-22T10:31:18Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}

/** setup() of each runner threw. */
export const TARGET_REFUSED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'finished' } },
  jobs: [
    {
      metadata: { name: 'run-1', uid: '604f2031' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:30Z' }],
      },
    },
    {
      metadata: { name: 'run-2', uid: 'fc569ecf' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:30Z' }],
      },
    },
    { metadata: { name: 'run-starter', uid: '443dc439' }, status: { succeeded: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-pjb44', uid: '96663aa0', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 107, reason: 'Error', finishedAt: '2026-11-22T10:31:26Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-cdh7z', uid: '5228b05c', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 107, reason: 'Error', finishedAt: '2026-11-22T10:31:26Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-starter-vb9kw', uid: '06fe2f2a', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:26Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}

/** The second runner called test.abort(); the first goes on. */
export const ABORTED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '45d4f46c' }, status: { active: 1 } },
    {
      metadata: { name: 'run-2', uid: '5eee0e6e' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:29Z' }],
      },
    },
    { metadata: { name: 'run-starter', uid: 'fdc87366' }, status: { succeeded: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-p5nrj', uid: '0761105b', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-mz48v', uid: 'ecbbe92f', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 108, reason: 'Error', finishedAt: '2026-11-22T10:31:26Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-starter-4st7g', uid: '160e4fe2', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:26Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}

/** An image without k6. */
export const NO_K6: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    {
      metadata: { name: 'run-1', uid: '86880aa1' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:29Z' }],
      },
    },
    {
      metadata: { name: 'run-2', uid: 'f5a2e2ba' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:30Z' }],
      },
    },
  ],
  pods: [
    {
      metadata: { name: 'run-1-9bbj8', uid: '123b8e8d', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: {
              terminated: {
                exitCode: 128,
                reason: 'StartError',
                message:
                  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "k6": executable file not found in $PATH: unknown',
                finishedAt: '2026-11-22T10:31:27Z',
              },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-h2tn6', uid: 'fcc6b2d5', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: {
              terminated: {
                exitCode: 128,
                reason: 'StartError',
                message:
                  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "k6": executable file not found in $PATH: unknown',
                finishedAt: '2026-11-22T10:31:27Z',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-9bbj8', uid: '123b8e8d' },
      type: 'Warning',
      reason: 'Failed',
      message:
        'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "k6": executable file not found in $PATH: unknown',
      lastTimestamp: '2026-11-22T10:31:27Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-h2tn6', uid: 'fcc6b2d5' },
      type: 'Warning',
      reason: 'Failed',
      message:
        'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "k6": executable file not found in $PATH: unknown',
      lastTimestamp: '2026-11-22T10:31:27Z',
    },
  ],
}
