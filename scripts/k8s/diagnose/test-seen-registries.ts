import type { Seen } from './test-seen.ts'

/** A registry that does not have the image. */
export const NOT_IN_REGISTRY: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '56d43f68' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '57b06f09' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-tcs4n', uid: 'f893d008', labels: { 'job-name': 'run-1' } },
      spec: {
        containers: [{ image: 'localhost:5001/breakwater:1', resources: { limits: { memory: '128Mi' } } }],
      },
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
              waiting: {
                reason: 'ErrImagePull',
                message:
                  'rpc error: code = NotFound desc = failed to pull and unpack image "localhost:5001/breakwater:1": failed to resolve reference "localhost:5001/breakwater:1": localhost:5001/breakwater:1: not found',
              },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-mf682', uid: 'eb0ae361', labels: { 'job-name': 'run-2' } },
      spec: {
        containers: [{ image: 'localhost:5001/breakwater:1', resources: { limits: { memory: '128Mi' } } }],
      },
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
              waiting: {
                reason: 'ErrImagePull',
                message:
                  'rpc error: code = NotFound desc = failed to pull and unpack image "localhost:5001/breakwater:1": failed to resolve reference "localhost:5001/breakwater:1": localhost:5001/breakwater:1: not found',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-tcs4n', uid: 'f893d008' },
      type: 'Normal',
      reason: 'Pulling',
      message: 'Pulling image "localhost:5001/breakwater:1"',
      lastTimestamp: '2026-11-22T10:34:18Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-mf682', uid: 'eb0ae361' },
      type: 'Normal',
      reason: 'Pulling',
      message: 'Pulling image "localhost:5001/breakwater:1"',
      lastTimestamp: '2026-11-22T10:34:18Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-tcs4n', uid: 'f893d008' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ImagePullBackOff',
      lastTimestamp: '2026-11-22T10:34:19Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-mf682', uid: 'eb0ae361' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ImagePullBackOff',
      lastTimestamp: '2026-11-22T10:34:19Z',
    },
  ],
}

/** A registry that wants to know who asks. */
export const NO_ACCESS: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '3eade1af' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '0148ce0f' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-wk7gt', uid: 'b65525f6', labels: { 'job-name': 'run-1' } },
      spec: {
        containers: [{ image: 'localhost:5002/breakwater:1', resources: { limits: { memory: '128Mi' } } }],
      },
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
              waiting: {
                reason: 'ErrImagePull',
                message:
                  'failed to pull and unpack image "localhost:5002/breakwater:1": failed to resolve reference "localhost:5002/breakwater:1": pulling from host localhost:5002 failed with status code [manifests 1]: 401 Unauthorized',
              },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-62cvf', uid: '6270c641', labels: { 'job-name': 'run-2' } },
      spec: {
        containers: [{ image: 'localhost:5002/breakwater:1', resources: { limits: { memory: '128Mi' } } }],
      },
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
              waiting: {
                reason: 'ErrImagePull',
                message:
                  'failed to pull and unpack image "localhost:5002/breakwater:1": failed to resolve reference "localhost:5002/breakwater:1": pulling from host localhost:5002 failed with status code [manifests 1]: 401 Unauthorized',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-1-wk7gt', uid: 'b65525f6' },
      type: 'Normal',
      reason: 'Pulling',
      message: 'Pulling image "localhost:5002/breakwater:1"',
      lastTimestamp: '2026-11-22T10:34:19Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-62cvf', uid: '6270c641' },
      type: 'Normal',
      reason: 'Pulling',
      message: 'Pulling image "localhost:5002/breakwater:1"',
      lastTimestamp: '2026-11-22T10:34:19Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-wk7gt', uid: 'b65525f6' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ImagePullBackOff',
      lastTimestamp: '2026-11-22T10:34:20Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-62cvf', uid: '6270c641' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ImagePullBackOff',
      lastTimestamp: '2026-11-22T10:34:20Z',
    },
  ],
}
