import { VERSION } from '../version.ts'
import type { ClusterLoadPlan } from './cluster-load.ts'
import { offeredLoadOf } from './offered-load.ts'
import type { RunRecord } from './run-record.ts'

/** What the cluster is told of a run, for whoever gathers it later. */
export function recordOfPlan(plan: ClusterLoadPlan, { startedAt }: Pick<RunRecord, 'startedAt'>): RunRecord {
  const { command, target, mix, heldLoad, seed, slo, strict, cluster } = plan
  const { name, baseUrl, wsUrl } = target.profile
  return {
    version: 1,
    command,
    startedAt,
    target: { name, baseUrl, wsUrl },
    mix: mix.name,
    load: heldLoad,
    vusMax: offeredLoadOf(plan).vusMax,
    seed,
    slo,
    strict,
    parallelism: cluster.parallelism,
    image: cluster.image,
    cpu: cluster.cpu,
    memoryBytes: cluster.memoryBytes,
    results: cluster.results,
    versions: { breakwater: VERSION, node: process.version },
  }
}
