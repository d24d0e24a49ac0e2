import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { hostInUrl } from '../../../contract/host-in-url.ts'
import type { Profile } from '../../../contract/profile.ts'
import { STUB_PORTS, type StubPlan } from './stub-plan.ts'

/**
 * The profile of a stub for those who reach it in its cluster. Its control API is not among it, as that listens in its pod alone. Throws a
 * BreakwaterError (usage) where its address is not known.
 */
export function stubProfileOf(plan: StubPlan, profile: Profile): Profile {
  const host = hostOf(plan)
  const baseUrl = `http://${host}:${STUB_PORTS.rest}`
  return {
    ...profile,
    name: plan.name,
    baseUrl,
    wsUrl: `ws://${host}:${STUB_PORTS.feed}`,
    control: null,
    metrics: `${baseUrl}/metrics`,
  }
}

function hostOf({ name, namespace, clusterIp }: StubPlan): string {
  if (clusterIp !== null) return hostInUrl(clusterIp)
  if (namespace !== null) return `${name}.${namespace}.svc`
  throw new BreakwaterError('--profile: where the stub will be is not known', {
    hint: 'Name its --namespace, for its address by DNS, or a --cluster-ip for its Service, where the cluster has none.',
  })
}
