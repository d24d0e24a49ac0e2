import { Trend } from 'k6/metrics'
import { GENERATOR_LAG } from '../../../contract/scenario-config.ts'

const lag = new Trend(GENERATOR_LAG, true)

/** Counts how late k6 was with something that was due at a time: to wake a VU, to hand a frame over to its script. */
export function countLag(dueMs: number, nowMs: number): void {
  lag.add(Math.max(0, nowMs - dueMs))
}
