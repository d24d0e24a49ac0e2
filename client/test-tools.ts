import { createRandom, type Tools } from './time-and-chance.ts'

/** Virtual time and seeded randomness for tests. */
export function testTools(options: { seed?: number } = {}) {
  let now = 0
  let order = 0
  const timers = new Set<{ atMs: number; order: number; fn: () => void }>()
  const after: Tools['after'] = (ms, fn) => {
    const timer = { atMs: now + Math.max(0, ms), order: order++, fn }
    timers.add(timer)
    return () => timers.delete(timer)
  }
  const tools: Tools = {
    nowMs: () => now,
    random: createRandom(options.seed ?? 7),
    pause: (ms) => new Promise((resolve) => void after(ms, resolve)),
    after,
  }
  /** Runs everything due up to then (default: until nothing is left). */
  const run = async (untilMs = Number.POSITIVE_INFINITY): Promise<void> => {
    await settle()
    for (let next = earliest(); next !== undefined && next.atMs <= untilMs; next = earliest()) {
      timers.delete(next)
      now = next.atMs
      next.fn()
      await settle()
    }
    if (Number.isFinite(untilMs)) now = untilMs
  }
  const earliest = () => [...timers].sort((one, other) => one.atMs - other.atMs || one.order - other.order)[0]
  return { tools, run, nowMs: () => now }
}

/** Drains chains of promises. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < TURNS; turns++) await undefined
}

const TURNS = 200
