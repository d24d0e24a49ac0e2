import type { KubeObject } from '../api/kube-object.ts'
import type { Component, ManifestParts } from './manifest-parts.ts'

export const TEST_RUN = { apiVersion: 'k6.io/v1alpha1', kind: 'TestRun' } as const

/** Labels of an object or a pod of the run. By the first two all of them can be found. */
export function labelsOf(run: string, component: Component): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'breakwater',
    'app.kubernetes.io/instance': run,
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/managed-by': 'breakwater',
  }
}

/** Metadata of an object beside the TestRun: it belongs to that, once that is there. */
export function metadataOf(
  run: string,
  component: Component,
  { namespace, ownerUid }: Pick<ManifestParts, 'namespace' | 'ownerUid'>,
): KubeObject['metadata'] {
  return {
    name: component === 'results' ? resultsName(run) : run,
    ...(namespace !== null && { namespace }),
    labels: labelsOf(run, component),
    ...(ownerUid !== undefined && {
      ownerReferences: [{ ...TEST_RUN, name: run, uid: ownerUid }],
    }),
  }
}

/** Of the pod that keeps what is measured, and of its Service. */
export function resultsName(run: string): string {
  return `${run}-results`
}
