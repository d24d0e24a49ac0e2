import type { ClusterLoadPlan } from '../cluster-load.ts'
import { CA_FILE, CONFIG_FILE, RUNNER_VARIABLE } from './in-pods.ts'
import type { ManifestParts } from './manifest-parts.ts'

/** Of its memory: Go collects garbage before the limit, at which the kernel would end it. */
const MEMORY_SHARE = 0.9

/** The environment of each runner. What is secret is named here, and stands in the Secret. */
export function runnerEnv({ cluster }: ClusterLoadPlan, parts: ManifestParts): unknown[] {
  const { collectorUrl, ca, settings } = parts
  const values = {
    HOME: '/tmp',
    BREAKWATER_CONFIG: CONFIG_FILE,
    ...(ca !== null && { SSL_CERT_FILE: CA_FILE }),
    GOMEMLIMIT: String(Math.floor(cluster.memoryBytes * MEMORY_SHARE)),
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    K6_NO_USAGE_REPORT: 'true',
    K6_SERIES_WATCH: 'true',
  }
  const secrets = [
    ...(collectorUrl === null ? [] : [{ name: 'K6_SERIES_TOKEN', key: 'token' }]),
    ...Object.keys(settings)
      .sort()
      .map((name) => ({ name, key: name })),
  ]
  return [
    { name: RUNNER_VARIABLE, valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } },
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
    ...secrets.map(({ name, key }) => ({
      name,
      valueFrom: { secretKeyRef: { name: cluster.name, key } },
    })),
  ]
}
