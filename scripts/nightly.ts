/** `npm run nightly`: what takes longer than CI has time for: every mutant, long fuzzing, Schemathesis at length. */
import { spawnSync } from 'node:child_process'
import { CHOICE_SETS } from '../simulator/choices/choices.ts'
import { MUTANTS } from '../simulator/mutants/mutants.ts'
import { projectPath } from './project-path.ts'
import { accuse } from './smoke/accuse.ts'

let failed = 0
const tell = (name: string, problem: string | undefined) => {
  if (problem !== undefined) failed++
  console.log(problem === undefined ? `ok      ${name}` : `FAILED  ${name}: ${problem}`)
}

const accused = Object.values(CHOICE_SETS).flatMap(({ name: choices }) =>
  MUTANTS.map((mutant) => ({ choices, mutant })),
)
for (const { choices, mutant } of accused) {
  tell(`mutant ${mutant.name}, choices ${choices}`, (await accuse(mutant, { choices })).problem)
}

const fuzz = ['test', './series', '-run', '^$', '-fuzz', 'FuzzBucketHoldsItsValue', '-fuzztime', '5m']
const { status } = spawnSync('go', fuzz, { cwd: projectPath('k6'), stdio: 'inherit' })
tell('fuzz the histogram’s buckets for 5 minutes', status === 0 ? undefined : `go test ended with ${status}`)

const long = ['--import', 'tsx', projectPath('scripts/schemathesis.ts'), '--long']
const schemathesis = spawnSync(process.execPath, long, { stdio: 'inherit' })
tell('Schemathesis at length', schemathesis.status === 0 ? undefined : 'see above')

console.log(`${accused.length + 2 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
