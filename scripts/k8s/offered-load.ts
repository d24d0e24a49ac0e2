import type { OfferedLoad } from '../../contract/scenario-config.ts'
import { vusFor } from '../load/size-vus.ts'
import type { ClusterChoices, ClusterLoadPlan } from './cluster-load.ts'

/** The one load that all runners offer together, each its segment of it. */
export function offeredLoadOf(
  plan: Pick<ClusterLoadPlan, 'heldLoad' | 'mix' | 'slo' | 'vusMax'> & {
    cluster: Pick<ClusterChoices, 'parallelism'>
  },
): OfferedLoad {
  const { heldLoad, mix, slo, vusMax, cluster } = plan
  const { rate, warmUpSeconds, seconds } = heldLoad
  return {
    stages: [{ seconds: warmUpSeconds + seconds, rate }],
    rateFrom: rate,
    vusMax: Math.max(cluster.parallelism, vusFor({ mix, slo, rate, vusLimit: vusMax })),
    instances: cluster.parallelism,
  }
}
