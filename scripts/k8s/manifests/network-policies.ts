/** Who may speak to the pods of a run, and whom they may speak to; a cluster whose network knows no policies takes no notice. */

import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { runnerEgress } from './egress.ts'
import { COLLECTOR_PORT, K6_PORT } from './in-pods.ts'
import type { ManifestParts } from './manifest-parts.ts'
import { labelsOf, metadataOf } from './metadata.ts'

/** Of runners and starter: whoever reaches k6's REST API can end the load. */
export function runnersPolicyOf(plan: ClusterLoadPlan, parts: ManifestParts): KubeObject {
  const { name, operatorNamespace } = plan.cluster
  const ofRun = { podSelector: { matchLabels: { k6_cr: name } } }
  const operator = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
  }
  return policy(metadataOf(name, 'run', parts), {
    ...ofRun,
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [operator, ofRun], ports: [{ protocol: 'TCP', port: K6_PORT }] }],
    egress: runnerEgress(plan),
  })
}

/** Of the collector: it asks for its token, whoever comes, and the API server comes from addresses that differ from cluster to cluster. */
export function resultsPolicyOf({ cluster }: ClusterLoadPlan, parts: ManifestParts): KubeObject {
  return policy(metadataOf(cluster.name, 'results', parts), {
    podSelector: { matchLabels: labelsOf(cluster.name, 'results') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: [{ protocol: 'TCP', port: COLLECTOR_PORT }] }],
    egress: [],
  })
}

function policy(metadata: KubeObject['metadata'], spec: object): KubeObject {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec }
}
