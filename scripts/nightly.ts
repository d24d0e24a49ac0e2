/** `npm run nightly`: what takes longer than CI has time for: every mutant, and long fuzzing. */
import { spawnSync } from 'node:child_process'
import { MUTANTS } from '../simulator/mutants.ts'
import { projectPath } from './project-path.ts'
import { accuse } from './smoke/accuse.ts'

let failed = 0
const tell = (name: string, problem: string | undefined) => {
  if (problem !== undefined) failed++
  console.log(problem === undefined ? `ok      ${name}` : `FAILED  ${name}: ${problem}`)
}

for (const mutant of MUTANTS) tell(`mutant ${mutant.name}`, (await accuse(mutant)).problem)

const fuzz = ['test', './series', '-run', '^$', '-fuzz', 'FuzzBucketHoldsItsValue', '-fuzztime', '5m']
const { status } = spawnSync('go', fuzz, { cwd: projectPath('k6'), stdio: 'inherit' })
tell('fuzz the histogram’s buckets for 5 minutes', status === 0 ? undefined : `go test ended with ${status}`)

console.log(`${MUTANTS.length + 1 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
