import type { Seen } from './test-seen.ts'

/** The node of both runners was not reached for too long. */
export const NODE_LOST: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: 'dc748de6' }, status: { failed: 1 } },
    { metadata: { name: 'run-2', uid: '5fa9b47a' }, status: { failed: 1 } },
  ],
  pods: [],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-1', uid: 'dc748de6' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-1-87s5t',
      lastTimestamp: '2026-11-22T10:53:11Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: '5fa9b47a' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-2-shg75',
      lastTimestamp: '2026-11-22T10:53:11Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-87s5t', uid: '941ea7c7' },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      lastTimestamp: '2026-11-22T10:54:04Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-shg75', uid: 'e501b5ca' },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      lastTimestamp: '2026-11-22T10:54:04Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-87s5t' },
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message: 'Marking for deletion Pod load-lost/run-1-87s5t',
      lastTimestamp: '2026-11-22T10:54:10Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-shg75' },
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message: 'Marking for deletion Pod load-lost/run-2-shg75',
      lastTimestamp: '2026-11-22T10:54:10Z',
    },
  ],
}

/** A moment before: their pods are about to be deleted. */
export const LOSING_NODE: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: 'dc748de6' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '5fa9b47a' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: {
        name: 'run-1-87s5t',
        uid: '941ea7c7',
        labels: { 'job-name': 'run-1' },
        deletionTimestamp: '2026-11-22T10:54:10Z',
      },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'Ready', status: 'False' },
          {
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'DeletionByTaintManager',
            message: 'Taint manager: deleting due to NoExecute taint',
          },
        ],
        containerStatuses: [{ ready: true, state: { running: {} } }],
      },
    },
    {
      metadata: {
        name: 'run-2-shg75',
        uid: 'e501b5ca',
        labels: { 'job-name': 'run-2' },
        deletionTimestamp: '2026-11-22T10:54:10Z',
      },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'Ready', status: 'False' },
          {
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'DeletionByTaintManager',
            message: 'Taint manager: deleting due to NoExecute taint',
          },
        ],
        containerStatuses: [{ ready: true, state: { running: {} } }],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-87s5t', uid: '941ea7c7' },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      lastTimestamp: '2026-11-22T10:54:04Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-shg75', uid: 'e501b5ca' },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      lastTimestamp: '2026-11-22T10:54:04Z',
    },
  ],
}

/** A pod of higher priority needed the room of the second runner; the first goes on. */
export const PREEMPTED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '94d3c818' }, status: { active: 1 } },
    {
      metadata: { name: 'run-2', uid: '137d76d6' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:55:47Z' }],
      },
    },
  ],
  pods: [
    {
      metadata: { name: 'run-1-dczct', uid: '61160904', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Job', name: 'run-1', uid: '94d3c818' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-1-dczct',
      lastTimestamp: '2026-11-22T10:55:41Z',
    },
    {
      involvedObject: { kind: 'Job', name: 'run-2', uid: '137d76d6' },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: run-2-d5rcs',
      lastTimestamp: '2026-11-22T10:55:41Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-d5rcs', uid: '51a82c29' },
      type: 'Normal',
      reason: 'Preempted',
      message: 'Preempted by pod 94aa703c-9dd2-42ef-b4e4-7a715551a24e on node far',
      lastTimestamp: null,
      eventTime: '2026-11-22T10:55:45.863741Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-dczct' },
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message: 'Cancelling deletion of Pod load-pre/run-1-dczct',
      lastTimestamp: '2026-11-22T10:55:45Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-d5rcs' },
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message: 'Cancelling deletion of Pod load-pre/run-2-d5rcs',
      lastTimestamp: '2026-11-22T10:55:45Z',
    },
  ],
}
