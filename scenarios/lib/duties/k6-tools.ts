import exec from 'k6/execution'
import { config } from '../config.ts'
import { after, pause } from '../time/pause.ts'
import { createRandom, type Tools } from './time-and-chance.ts'

let random: (() => number) | undefined

/** This VU's own stream, from the run's seed. Seeded at first use: in the init context a VU has no number yet. */
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
