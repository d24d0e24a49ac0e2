/** The objects of a stub in a cluster, in the order in which they are applied. */
import { CONTROL_TOKEN_ENV } from '../../control-token.ts'
import type { KubeObject } from '../api/kube-object.ts'
import { requireRoom } from '../manifests/require-room.ts'
import { stubDeploymentOf } from './stub-deployment.ts'
import { stubMetadata, stubSelector } from './stub-metadata.ts'
import { STUB_PORTS, type StubPlan } from './stub-plan.ts'

/** Throws a BreakwaterError (usage) where a world of one's own is more than a ConfigMap holds. */
export function stubObjectsOf(plan: StubPlan): KubeObject[] {
  return [
    secretOf(plan),
    ...(Object.keys(plan.files).length === 0 ? [] : [filesOf(plan)]),
    policyOf(plan),
    serviceOf(plan),
    stubDeploymentOf(plan),
  ]
}

function secretOf(plan: StubPlan): KubeObject {
  const token = Buffer.from(plan.controlToken).toString('base64')
  const metadata = stubMetadata(plan)
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { [CONTROL_TOKEN_ENV]: token } }
}

function filesOf(plan: StubPlan): KubeObject {
  requireRoom(plan.files, 'ConfigMap', 'Take a world with fewer tokens, or build an image that has it.')
  const metadata = stubMetadata(plan)
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: plan.files }
}

/** Whoever reaches its pod may ask; it asks nobody itself. */
function policyOf(plan: StubPlan): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: stubMetadata(plan),
    spec: {
      podSelector: { matchLabels: stubSelector(plan) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: SERVED.map(([, port]) => ({ protocol: 'TCP', port })) }],
      egress: [],
    },
  }
}

function serviceOf(plan: StubPlan): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: stubMetadata(plan),
    spec: {
      ...(plan.clusterIp !== null && { clusterIP: plan.clusterIp }),
      selector: stubSelector(plan),
      ports: SERVED.map(([name, port]) => ({ name, port, targetPort: name })),
    },
  }
}

const SERVED = [
  ['rest', STUB_PORTS.rest],
  ['feed', STUB_PORTS.feed],
] as const
