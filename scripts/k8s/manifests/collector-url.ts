import { isIP } from 'node:net'
import type { ClusterChoices } from '../cluster-load.ts'
import { COLLECTOR_PORT } from './in-pods.ts'
import { resultsName } from './metadata.ts'

/**
 * Where runners push what they measure: by the name of the Service, which takes DNS in the cluster, or at the address of this
 * machine. Null: they write to a volume.
 */
export function collectorUrlOf({ name, results }: Pick<ClusterChoices, 'name' | 'results'>): string | null {
  if (results.kind === 'claim') return null
  if (results.kind === 'pod') return `http://${resultsName(name)}:${COLLECTOR_PORT}`
  const { host, port } = results
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
