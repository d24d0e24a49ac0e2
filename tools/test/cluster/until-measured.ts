import { expect } from 'vitest'
import type { GivenCluster } from './given-cluster.ts'

/** Waits until the second runner of a run has told of some of its load; throws after a minute and a half. */
export async function untilMeasured({ kubectl }: GivenCluster, run: string): Promise<void> {
  const file = `/results/series-${run}-2.ndjson`
  const ask = ['exec', `pod/${run}-results`, '--', 'grep', '-c', '"iterations"', file]
  const measured = () => {
    try {
      return Number(kubectl(ask))
    } catch {
      // No pod yet, no file, or none of it in the file.
      return 0
    }
  }
  await expect.poll(measured, { timeout: 90_000, interval: 500 }).toBeGreaterThan(2)
}
