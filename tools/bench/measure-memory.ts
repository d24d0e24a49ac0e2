import { garbageCollector } from '../test/garbage-collector.ts'

/** After garbage collection: heap in use, and resident memory. */
export type Memory = { heldBytes: number; residentBytes: number }

const collectGarbage = garbageCollector()

export function measureMemory(): Memory {
  for (let times = 0; times < 4; times++) collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heldBytes: heapUsed + external, residentBytes: rss }
}
