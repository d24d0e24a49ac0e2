import type { RunRecord } from '../run-record.ts'

/** Names runners whose figures may be compared, as `machineClass` names machines: `4 pods of 2 cores, 1 GiB`. */
export function runnersText({
  parallelism,
  cpu,
  memoryBytes,
}: Pick<RunRecord, 'parallelism' | 'cpu' | 'memoryBytes'>): string {
  const cores = `${cpu} ${cpu === 1 ? 'core' : 'cores'}`
  return `${parallelism} ${parallelism === 1 ? 'pod' : 'pods'} of ${cores}, ${memoryText(memoryBytes)}`
}

function memoryText(bytes: number): string {
  const mebibytes = bytes / 2 ** 20
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${Math.round(mebibytes)} MiB`
}
