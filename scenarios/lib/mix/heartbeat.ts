import { sleep } from 'k6'
import { Gauge, Trend } from 'k6/metrics'
import { GENERATOR_LAG, LOAD_START } from '../../../contract/scenario-config.ts'

const lag = new Trend(GENERATOR_LAG, true)

/**
 * Records how late k6 was with something due at a given time: waking a VU, or handing a frame to its script.
 */
export function countLag(dueMs: number, nowMs: number): void {
  lag.add(Math.max(0, nowMs - dueMs))
}

const start = new Gauge(LOAD_START)

const BEAT_MS = 20

/** Sleeps and wakes until the load ends. Late wake-ups show that k6 itself is late. */
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
