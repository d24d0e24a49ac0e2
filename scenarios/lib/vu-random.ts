import exec from 'k6/execution'
import { config } from './config.ts'
import { createRandom } from './random.ts'

let random: (() => number) | undefined

/** This VU's own stream, from the run's seed. Seeded at first use: in the init context a VU has no number yet. */
export function vuRandom(): number {
  random ??= createRandom(config.seed * 1009 + exec.vu.idInTest)
  return random()
}
