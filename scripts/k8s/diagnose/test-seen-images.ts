import type { Seen } from './test-seen.ts'

/** An image that no node has, with the pull policy Never. */
export const NEVER_PULLED: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '124e6c0c' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: '74ff8687' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-ghgl9', uid: '071d23bf', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'localhost/nowhere:1', resources: { limits: { memory: '128Mi' } } }] },
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
                reason: 'ErrImageNeverPull',
                message: 'Container image "localhost/nowhere:1" is not present with pull policy of Never',
              },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-nwvxm', uid: 'b66832f5', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'localhost/nowhere:1', resources: { limits: { memory: '128Mi' } } }] },
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
      involvedObject: { kind: 'Pod', name: 'run-2-nwvxm', uid: 'b66832f5' },
      type: 'Warning',
      reason: 'ErrImageNeverPull',
      message: 'Container image "localhost/nowhere:1" is not present with pull policy of Never',
      lastTimestamp: '2026-11-22T10:28:23Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-nwvxm', uid: 'b66832f5' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ErrImageNeverPull',
      lastTimestamp: '2026-11-22T10:28:23Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-ghgl9', uid: '071d23bf' },
      type: 'Warning',
      reason: 'ErrImageNeverPull',
      message: 'Container image "localhost/nowhere:1" is not present with pull policy of Never',
      lastTimestamp: '2026-11-22T10:28:35Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-ghgl9', uid: '071d23bf' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ErrImageNeverPull',
      lastTimestamp: '2026-11-22T10:28:35Z',
    },
  ],
}

/** A registry whose name is not found: one runner is about to be tried again. */
export const NO_REGISTRY: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '37cb2b16' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: 'dfb00e3a' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-sswpw', uid: 'e77f3350', labels: { 'job-name': 'run-1' } },
      spec: {
        containers: [{ image: 'registry.example/breakwater:1', resources: { limits: { memory: '128Mi' } } }],
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
                reason: 'ImagePullBackOff',
                message:
                  'Back-off pulling image "registry.example/breakwater:1": ErrImagePull: failed to pull and unpack image "registry.example/breakwater:1": failed to resolve reference "registry.example/breakwater:1": failed to do request: Head "https://registry.example/v2/breakwater/manifests/1": dial tcp: lookup registry.example on 127.0.0.1:53: read udp 127.0.0.1:40907->127.0.0.1:53: read: connection refused',
              },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-f6whk', uid: '55459e1d', labels: { 'job-name': 'run-2' } },
      spec: {
        containers: [{ image: 'registry.example/breakwater:1', resources: { limits: { memory: '128Mi' } } }],
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
                  'failed to pull and unpack image "registry.example/breakwater:1": failed to resolve reference "registry.example/breakwater:1": failed to do request: Head "https://registry.example/v2/breakwater/manifests/1": dial tcp: lookup registry.example on 127.0.0.1:53: read udp 127.0.0.1:34185->127.0.0.1:53: read: connection refused',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-2-f6whk', uid: '55459e1d' },
      type: 'Normal',
      reason: 'Pulling',
      message: 'Pulling image "registry.example/breakwater:1"',
      lastTimestamp: '2026-11-22T10:28:23Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-2-f6whk', uid: '55459e1d' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: ImagePullBackOff',
      lastTimestamp: '2026-11-22T10:28:24Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-sswpw', uid: 'e77f3350' },
      type: 'Normal',
      reason: 'Pulling',
      message: 'Pulling image "registry.example/breakwater:1"',
      lastTimestamp: '2026-11-22T10:28:34Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-sswpw', uid: 'e77f3350' },
      type: 'Warning',
      reason: 'Failed',
      message:
        'Failed to pull image "registry.example/breakwater:1": failed to pull and unpack image "registry.example/breakwater:1": failed to resolve reference "registry.example/breakwater:1": failed to do request: Head "https://registry.example/v2/breakwater/manifests/1": dial tcp: lookup registry.example on 127.0.0.1:53: read udp 127.0.0.1:36508->127.0.0.1:53: read: connection refused',
      lastTimestamp: '2026-11-22T10:28:34Z',
    },
  ],
}

/** An image whose name is none. */
export const BAD_NAME: Seen = {
  testRun: { metadata: { name: 'run' }, spec: { parallelism: 2 }, status: { stage: 'created' } },
  jobs: [
    { metadata: { name: 'run-1', uid: '13182fd8' }, status: { active: 1 } },
    { metadata: { name: 'run-2', uid: 'ac50e54a' }, status: { active: 1 } },
  ],
  pods: [
    {
      metadata: { name: 'run-1-wlhjk', uid: '552f6107', labels: { 'job-name': 'run-1' } },
      spec: { containers: [{ image: 'Localhost/BAD NAME', resources: { limits: { memory: '128Mi' } } }] },
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
                reason: 'InvalidImageName',
                message:
                  'Failed to apply default image tag "Localhost/BAD NAME": couldn\'t parse image name "Localhost/BAD NAME": invalid reference format: repository name (BAD NAME) must be lowercase',
              },
            },
          },
        ],
      },
    },
    {
      metadata: { name: 'run-2-nrr4l', uid: 'c6054970', labels: { 'job-name': 'run-2' } },
      spec: { containers: [{ image: 'Localhost/BAD NAME', resources: { limits: { memory: '128Mi' } } }] },
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
                reason: 'InvalidImageName',
                message:
                  'Failed to apply default image tag "Localhost/BAD NAME": couldn\'t parse image name "Localhost/BAD NAME": invalid reference format: repository name (BAD NAME) must be lowercase',
              },
            },
          },
        ],
      },
    },
  ],
  events: [
    {
      involvedObject: { kind: 'Pod', name: 'run-2-nrr4l', uid: 'c6054970' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: InvalidImageName',
      lastTimestamp: '2026-11-22T10:28:25Z',
    },
    {
      involvedObject: { kind: 'Pod', name: 'run-1-wlhjk', uid: '552f6107' },
      type: 'Warning',
      reason: 'Failed',
      message: 'Error: InvalidImageName',
      lastTimestamp: '2026-11-22T10:28:35Z',
    },
  ],
}
