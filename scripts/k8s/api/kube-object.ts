export type KubeObject = {
  apiVersion: string
  kind: string
  metadata: KubeMetadata
  [field: string]: unknown
}

export type KubeMetadata = {
  name: string
  namespace?: string
  uid?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  creationTimestamp?: string
  deletionTimestamp?: string
  ownerReferences?: readonly OwnerReference[]
}

export type OwnerReference = { apiVersion: string; kind: string; name: string; uid: string }

export const KINDS = {
  ConfigMap: { root: '/api/v1', plural: 'configmaps' },
  Secret: { root: '/api/v1', plural: 'secrets' },
  Service: { root: '/api/v1', plural: 'services' },
  Pod: { root: '/api/v1', plural: 'pods' },
  Event: { root: '/api/v1', plural: 'events' },
  PersistentVolumeClaim: { root: '/api/v1', plural: 'persistentvolumeclaims' },
  Job: { root: '/apis/batch/v1', plural: 'jobs' },
  Deployment: { root: '/apis/apps/v1', plural: 'deployments' },
  NetworkPolicy: { root: '/apis/networking.k8s.io/v1', plural: 'networkpolicies' },
  TestRun: { root: '/apis/k6.io/v1alpha1', plural: 'testruns' },
} as const

export type Kind = keyof typeof KINDS

export function isKind(kind: string): kind is Kind {
  return kind in KINDS
}
