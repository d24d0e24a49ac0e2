import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Node exposes it only with a flag. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void // as: the flag defines it
}

/** After garbage collection: heap in use, and resident memory. */
export type Memory = { heldBytes: number; residentBytes: number }

const collectGarbage = garbageCollector()

export function measureMemory(): Memory {
  for (let times = 0; times < 4; times++) collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heldBytes: heapUsed + external, residentBytes: rss }
}
