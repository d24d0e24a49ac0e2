import type { Seen } from './test-seen.ts'

/** The second runner needed more than its limit; the first went on to its end. */
export const OUT_OF_MEMORY: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'finished' } },
  jobs: [
    { metadata: { name: 'run-1', uid: 'cf187dd2' }, status: { succeeded: 1 } },
    {
      metadata: { name: 'run-2', uid: '004fea21' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:19Z' }],
      },
    },
    { metadata: { name: 'run-starter', uid: 'a9aab1e3' }, status: { succeeded: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-89hvw', uid: '0e5531fd', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '100Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:45Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-vc5sq', uid: 'bffacf8c', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '100Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-11-22T10:31:16Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-starter-5z6rk', uid: 'b15592c1', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:16Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}

/** The pod of the first runner was deleted in mid-run. */
export const POD_DELETED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'finished' } },
  jobs: [
    {
      metadata: { name: 'run-1', uid: 'c5ed243c' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:43Z' }],
      },
    },
    { metadata: { name: 'run-2', uid: 'd58af2dc' }, status: { succeeded: 1 } },
    { metadata: { name: 'run-starter', uid: 'c0b0aaad' }, status: { succeeded: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-2-4zbk9', uid: 'b9cdcf6f', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:47Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-starter-2bmmn', uid: '0c5aa765', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:16Z' } },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-1', uid: 'c5ed243c' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-1-rds79',
      lastTimestamp: '2026-11-22T10:31:13Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: 'd58af2dc' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-2-4zbk9',
      lastTimestamp: '2026-11-22T10:31:13Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-starter', uid: 'c0b0aaad' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-starter-2bmmn',
      lastTimestamp: '2026-11-22T10:31:15Z',
    },
  ],
}

/** k6 of the first runner got SIGKILL. */
export const KILLED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    {
      metadata: { name: 'run-1', uid: '4450f1cf' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:46Z' }],
      },
    },
    { metadata: { name: 'run-2', uid: 'e0a6a5d2' }, status: { active: 1 } },
    { metadata: { name: 'run-starter', uid: 'b4747141' }, status: { succeeded: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-qg9qb', uid: '6b1a5580', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 137, reason: 'Error', finishedAt: '2026-11-22T10:31:43Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-6c7wv', uid: '5f5fcad1', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:51Z' } },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-starter-p7fxv', uid: '0a604943', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6-starter:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:21Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}
