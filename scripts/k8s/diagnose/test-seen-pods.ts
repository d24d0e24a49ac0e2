import type { ContainerState } from './cluster-view.ts'
import type { Seen } from './test-seen.ts'

/** A pod whose volume grew beyond its limit. */
export const EVICTED: Seen = {
  testRun: null,
  jobs: [],
  pods: [
    {
      metadata: { name: 'fat', uid: 'a9a0a024' },
      spec: { containers: [{ image: 'localhost/k6:1' }] },
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'Usage of EmptyDir volume "t" exceeds the limit "1Mi". ',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 137, reason: 'Error', finishedAt: '2026-11-22T10:31:37Z' } },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'fat', uid: 'a9a0a024' },
      type: 'Warning',
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "t" exceeds the limit "1Mi". ',
      lastTimestamp: '2026-11-22T10:31:35Z',
    },
  ],
}

/** A pod that was there longer than it may. */
export const PAST_DEADLINE: Seen = {
  testRun: null,
  jobs: [],
  pods: [
    {
      metadata: { name: 'run-results', uid: '84ad1096' },
      spec: { containers: [{ image: 'localhost/pause:1' }] },
      status: {
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-11-22T10:31:39Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}

/** A pod that restarts its container, just after that was killed. */
export const RESTARTING: Seen = resultsPodWith({
  terminated: { exitCode: 137, reason: 'Error', finishedAt: '2026-11-22T11:31:09Z' },
})

/** The same once it was killed again. */
export const BACKING_OFF: Seen = resultsPodWith({
  waiting: {
    message: 'back-off 10s restarting failed container=collector pod=run-results_load(1c2934e7)',
    reason: 'CrashLoopBackOff',
  },
})

function resultsPodWith(state: ContainerState): Seen {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
    { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady' },
  ]
  return {
    testRun: null,
    jobs: [],
    pods: [
      {
        metadata: { name: 'run-results', uid: '1c2934e7' },
        status: { phase: 'Running', conditions, containerStatuses: [{ ready: false, state }] },
      },
    ],
    events: [],
  }
}

/** A pod that may not run as root, of an image that does. */
export const AS_ROOT: Seen = {
  testRun: null,
  jobs: [],
  pods: [
    {
      metadata: { name: 'root', uid: 'df48eba1' },
      spec: { containers: [{ image: 'localhost/k6-starter:1' }] },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [results]',
          },
        ],
        containerStatuses: [
          {
            ready: false,
            state: {
              waiting: {
                reason: 'CreateContainerConfigError',
                message:
                  'container has runAsNonRoot and image will run as root (pod: "root_load-box(df48eba1-9558-44ee-9ca8-91df89bad3e1)", container: results)',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'root', uid: 'df48eba1' },
      type: 'Warning',
      reason: 'Failed',
      message:
        'Error: container has runAsNonRoot and image will run as root (pod: "root_load-box(df48eba1-9558-44ee-9ca8-91df89bad3e1)", container: results)',
      lastTimestamp: '2026-11-22T10:31:55Z',
    },
  ],
}
