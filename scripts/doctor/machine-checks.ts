/** Everything that is asked of a machine, in the order in which it is told. */
import { checkClock } from './clock-check.ts'
import type { Finding, Judged } from './finding.ts'
import { checkFolder } from './folder-check.ts'
import type { MachineFacts } from './machine-facts.ts'
import { checkEphemeralPorts, checkOpenFiles, checkPorts } from './network-checks.ts'
import { checkGo, checkK6, checkNode } from './program-checks.ts'
import { checkCores, checkMemory } from './size-checks.ts'

const MACHINE_CHECKS: readonly (readonly [name: string, check: (facts: MachineFacts) => Judged])[] = [
  ['node', checkNode],
  ['go', checkGo],
  ['k6', checkK6],
  ['ports', checkPorts],
  ['ephemeral ports', checkEphemeralPorts],
  ['open files', checkOpenFiles],
  ['clock', checkClock],
  ['cores', checkCores],
  ['memory', checkMemory],
  ['cache folder', ({ folders, k6 }) => checkFolder('cache', folders.cache, k6)],
  ['run folders', ({ folders, k6 }) => checkFolder('runs', folders.runs, k6)],
  ['temporary folder', ({ folders, k6 }) => checkFolder('temporary', folders.temporary, k6)],
]

/** A finding for each check, in their order; what this platform does not tell is said not to be checked. */
export function checkMachine(facts: MachineFacts): Finding[] {
  return MACHINE_CHECKS.map(([check, judge]) => ({ check, ...judge(facts) }))
}
