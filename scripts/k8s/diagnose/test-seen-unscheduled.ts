import type { Seen } from './test-seen.ts'

/** Runners of 64 cores each. */
export const TOO_MANY_CORES: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '8de3550c' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '1be36480' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-55wtf', uid: 'd30eb200', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message:
              '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-wd5d6', uid: '6c9f1a28', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message:
              '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-55wtf', uid: 'd30eb200' },
      type: 'Warning',
      reason: 'FailedScheduling',
      message:
        '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
      lastTimestamp: null,
      eventTime: '2026-11-22T10:30:08.709424Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-wd5d6', uid: '6c9f1a28' },
      type: 'Warning',
      reason: 'FailedScheduling',
      message:
        '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
      lastTimestamp: null,
      eventTime: '2026-11-22T10:30:08.709517Z',
    },
  ],
}

/** Two runners that want a node each, and one node. */
export const ONE_NODE: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: 'bf3faa8c' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '028838fa' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-5mzb7', uid: '32833269', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-9qbqr', uid: '8d6ece63', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message:
              "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-2-9qbqr', uid: '8d6ece63' },
      type: 'Warning',
      reason: 'FailedScheduling',
      message:
        "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
      lastTimestamp: null,
      eventTime: '2026-11-22T10:30:07.543844Z',
    },
  ],
}

/** A claim that does not exist. */
export const NO_CLAIM: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: 'cca77b7b' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '29d2b24d' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-g5h6w', uid: 'f0098767', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: persistentvolumeclaim "nothing" not found. not found',
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-rxn7b', uid: 'c1235245', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: persistentvolumeclaim "nothing" not found. not found',
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-g5h6w', uid: 'f0098767' },
      type: 'Warning',
      reason: 'FailedScheduling',
      message: '0/1 nodes are available: persistentvolumeclaim "nothing" not found. not found',
      lastTimestamp: null,
      eventTime: '2026-11-22T10:30:08.892704Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-rxn7b', uid: 'c1235245' },
      type: 'Warning',
      reason: 'FailedScheduling',
      message: '0/1 nodes are available: persistentvolumeclaim "nothing" not found. not found',
      lastTimestamp: null,
      eventTime: '2026-11-22T10:30:08.935686Z',
    },
  ],
}
