import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { configMapOf } from './config-map.ts'
import { testRunOf } from './k6-test-run.ts'
import type { ManifestParts } from './manifest-parts.ts'
import { resultsPolicyOf, runnersPolicyOf } from './network-policies.ts'
import { resultsPodOf, resultsServiceOf } from './results.ts'
import { secretOf } from './secret.ts'

/**
 * The objects of a run, each after those that it names; the last one is the TestRun. The same plan and parts give the same objects,
 * field by field in the same order. Throws a BreakwaterError (usage) where a Secret or ConfigMap would be too large.
 */
export function manifestsOf(plan: ClusterLoadPlan, parts: ManifestParts): KubeObject[] {
  const { script } = parts
  const hasResultsPod = plan.cluster.results.kind !== 'here'
  return [
    secretOf(plan, parts),
    ...(script === null ? [] : [configMapOf(plan, { ...parts, script })]),
    runnersPolicyOf(plan, parts),
    ...(hasResultsPod
      ? [resultsPolicyOf(plan, parts), resultsServiceOf(plan, parts), resultsPodOf(plan, parts)]
      : []),
    testRunOf(plan, parts),
  ]
}
