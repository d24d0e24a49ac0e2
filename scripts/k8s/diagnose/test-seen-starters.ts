import type { Seen } from './test-seen.ts'

/** All runners are up, and the starter’s image is on no node. */
export const STARTER_NEVER_PULLED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '5f6998ab' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: 'baf7bec0' }, status: { active: 1 } },
    { metadata: { name: 'run-starter', uid: 'ba6b70f5' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-pk2zl', uid: 'ab491f23', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-dbnzb', uid: '3f61809b', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-starter-7vkdr', uid: '404654ef', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/nowhere:1', resources: { limits: { memory: '200Mi' } } }] },
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
        containerStatuses: [
          {
            ready: false,
            state: {
              waiting: {
                reason: 'ErrImageNeverPull',
                message: 'Container image "localhost/nowhere:1" is not present with pull policy of Never',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-starter-7vkdr', uid: '404654ef' },
      type: 'Warning',
      reason: 'ErrImageNeverPull',
      message: 'Container image "localhost/nowhere:1" is not present with pull policy of Never',
      lastTimestamp: '2026-11-22T10:28:26Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-starter-7vkdr', uid: '404654ef' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ErrImageNeverPull',
      lastTimestamp: '2026-11-22T10:28:26Z',
    },
  ],
}

/** A starter whose image has no curl. */
export const STARTER_WITHOUT_CURL: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'started' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '9eb6d723' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '98d24b10' }, status: { active: 1 } },
    {
      metadata: { name: 'run-starter', uid: 'bd38b874' },
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-22T10:31:33Z' }],
      },
    },
  ],
  pods: [
    {
      metadata: { name: 'run-1-ssmz2', uid: 'bbcb33b2', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-2-gt7hl', uid: '48e4ac4a', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '128Mi' } } }] },
      status: { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
    },
    {
      metadata: { name: 'run-starter-45qw8', uid: '7068f2f2', labels: { 'job-name': 'run-starter' } },
      spec: { containers: [{ image: 'localhost/k6:1', resources: { limits: { memory: '200Mi' } } }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode: 127, reason: 'Error', finishedAt: '2026-11-22T10:31:30Z' } },
          },
        ],
      },
    },
  ],
  events: [],
}
