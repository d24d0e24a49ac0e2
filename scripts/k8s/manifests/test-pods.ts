import type { KubeObject } from '../api/kube-object.ts'

type Container = {
  name: string
  image: string
  securityContext: Record<string, unknown>
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  [field: string]: unknown
}
export type PodSpec = {
  containers: Container[]
  volumes?: Record<string, unknown>[]
  securityContext: Record<string, unknown>
  automountServiceAccountToken: boolean
  [field: string]: unknown
}

/** The pods of the objects, including the runner and the starter as the operator makes them. */
export function listPods(objects: readonly KubeObject[]): { name: string; spec: PodSpec }[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    // as: the shapes that these two kinds have
    if (kind === 'Pod') return [{ name: metadata.name, spec: spec as PodSpec }]
    if (kind !== 'TestRun') return []
    const { runner, starter } = spec as Record<'runner' | 'starter', Record<string, never>>
    return [
      { name: 'runner', spec: buildPodSpec(runner, 'k6') },
      {
        name: 'starter',
        spec: buildPodSpec({ image: 'ghcr.io/grafana/k6-operator:latest-starter', ...starter }, 'k6-curl'),
      },
    ]
  })
}

function buildPodSpec(given: Record<string, unknown>, name: string): PodSpec {
  const { volumes, imagePullSecrets, securityContext, containerSecurityContext, ...others } = given
  const { automountServiceAccountToken, metadata: _, topologySpreadConstraints, ...container } = others
  return {
    automountServiceAccountToken: automountServiceAccountToken !== 'false',
    restartPolicy: 'Never',
    securityContext: securityContext as PodSpec['securityContext'],
    ...(volumes !== undefined && { volumes: volumes as Record<string, unknown>[] }),
    ...(imagePullSecrets !== undefined && { imagePullSecrets }),
    ...(topologySpreadConstraints !== undefined && { topologySpreadConstraints }),
    containers: [{ ...container, name, securityContext: containerSecurityContext } as Container],
  }
}
