/** The pod that keeps what runners measure until it is gathered, and its Service. */

import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { COLLECTOR_PORT, RESULTS_FOLDER, SECRET_FOLDER, TOKEN_FILE } from './in-pods.ts'
import type { ManifestParts } from './manifest-parts.ts'
import { labelsOf, metadataOf } from './metadata.ts'
import { CONTAINER_SECURITY, POD_SECURITY, pulling, SECRET_MODE } from './pod-parts.ts'

/** To begin takes some seconds of a core; then it writes as fast as runners push, which takes next to nothing. */
const RESOURCES = {
  requests: { cpu: '100m', memory: '256Mi' },
  limits: { cpu: '1', memory: '256Mi' },
}
/** What nobody has gathered by then is given up: a pod whose command was killed does not stay for ever. */
const GATHERED_SECONDS = 6 * 3600
const END_SECONDS = 5

/** Keeps what runners push in a volume that goes with it, or serves what they wrote to a claim. */
export function resultsPodOf(plan: ClusterLoadPlan, parts: ManifestParts): KubeObject {
  const { cluster, durationSecondsMax } = plan
  const { name, results } = cluster
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(name, 'results', parts),
    spec: {
      activeDeadlineSeconds: cluster.startSeconds + Math.ceil(durationSecondsMax) + GATHERED_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'OnFailure',
      terminationGracePeriodSeconds: END_SECONDS,
      ...pulling(cluster),
      securityContext: POD_SECURITY,
      containers: [
        {
          name: 'collector',
          image: cluster.image,
          imagePullPolicy: cluster.imagePullPolicy,
          command: ['breakwater', 'k8s', 'collect', ...COLLECT_OPTIONS],
          env: [{ name: 'HOME', value: '/tmp' }],
          ports: [{ name: 'collector', containerPort: COLLECTOR_PORT }],
          readinessProbe: { httpGet: { path: '/health', port: COLLECTOR_PORT }, periodSeconds: 1 },
          resources: RESOURCES,
          securityContext: CONTAINER_SECURITY,
          volumeMounts: [
            { name: 'secret', mountPath: SECRET_FOLDER, readOnly: true },
            { name: 'results', mountPath: RESULTS_FOLDER },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        {
          name: 'secret',
          secret: { secretName: name, defaultMode: SECRET_MODE, items: [{ key: 'token', path: 'token' }] },
        },
        results.kind === 'claim'
          ? { name: 'results', persistentVolumeClaim: { claimName: results.claim } }
          : { name: 'results', emptyDir: {} },
        { name: 'tmp', emptyDir: {} },
      ],
    },
  }
}

const COLLECT_OPTIONS = [
  '--host',
  '0.0.0.0',
  '--port',
  String(COLLECTOR_PORT),
  '--dir',
  RESULTS_FOLDER,
  '--token-file',
  TOKEN_FILE,
]

/** Where runners find it. */
export function resultsServiceOf({ cluster }: ClusterLoadPlan, parts: ManifestParts): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(cluster.name, 'results', parts),
    spec: {
      selector: labelsOf(cluster.name, 'results'),
      ports: [{ name: 'collector', port: COLLECTOR_PORT, targetPort: COLLECTOR_PORT }],
    },
  }
}
