import { sleep } from 'k6'
import { Gauge, Trend } from 'k6/metrics'
import { GENERATOR_LAG, LOAD_START } from '../../../contract/scenario-config.ts'

const lag = new Trend(GENERATOR_LAG, true)

/** Counts how late k6 was with something that was due at a time: to wake a VU, to hand a frame over to its script. */
export function countLag(dueMs: number, nowMs: number): void {
  lag.add(Math.max(0, nowMs - dueMs))
}

const start = new Gauge(LOAD_START)

const BEAT_MS = 20

/** Sleeps and wakes for as long as the load goes on: how late it wakes is how late k6 is with everything. */
export function beat({ startMs, seconds }: { startMs: number; seconds: number }): void {
  start.add(startMs)
  const endMs = startMs + seconds * 1000
  for (let beforeMs = Date.now(); beforeMs < endMs; ) {
    sleep(BEAT_MS / 1000)
    const nowMs = Date.now()
    countLag(beforeMs + BEAT_MS, nowMs)
    beforeMs = nowMs
  }
}
