import exec from 'k6/execution'
import { createRandom, type Tools } from '../../../client/time-and-chance.ts'
import { config } from '../config.ts'
import { after, pause } from '../time/pause.ts'

let random: (() => number) | undefined

/** This VU's random stream, from the run's seed. Seeded at first use, since a VU has no number in the init context. */
export function vuRandom(): number {
  random ??= createRandom(config.seed * 1009 + exec.vu.idInTest)
  return random()
}

export const k6Tools: Tools = {
  nowMs: Date.now,
  random: vuRandom,
  pause,
  after: (ms, fn) => after(ms, fn).cancel,
}
