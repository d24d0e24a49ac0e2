import type { KubeObject } from '../api/kube-object.ts'
import type { StubPlan } from './stub-plan.ts'

/** By which its pod is selected. Those of a run in the cluster have another name: what is deleted with a run is none of these. */
export function stubSelector({ name }: Pick<StubPlan, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': 'breakwater-stub', 'app.kubernetes.io/instance': name }
}

/** Of each object, and of the pod. */
export function stubLabels(plan: Pick<StubPlan, 'name'>): Record<string, string> {
  return {
    ...stubSelector(plan),
    'app.kubernetes.io/component': 'stub',
    'app.kubernetes.io/managed-by': 'breakwater',
  }
}

/** Of each object of a stub. */
export function stubMetadata(plan: Pick<StubPlan, 'name' | 'namespace'>): KubeObject['metadata'] {
  const { name, namespace } = plan
  return { name, ...(namespace !== null && { namespace }), labels: stubLabels(plan) }
}
