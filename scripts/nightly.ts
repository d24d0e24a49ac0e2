/**
 * `npm run nightly`: what takes longer than CI has time for: every mutant under both sets of choices, other seeds, every
 * world, every case by other seeds and against its mutants, hostile servers and trouble on the way, comparisons of a
 * build with itself and with a slower one, the image without a container engine, searches for a capacity that is known, the long commands
 * of the documentation, the tests in a cluster where there is one, long fuzzing, Schemathesis at length.
 */
import { spawnSync } from 'node:child_process'
import { CHOICE_SETS, type ChoiceSetName } from '../simulator/choices/choices.ts'
import { MUTANTS } from '../simulator/mutants/mutants.ts'
import { worldNames } from '../simulator/world/world-fixture.ts'
import { proveCapacity } from './capacity/proof.ts'
import { proveComparisons } from './compare/proof.ts'
import { followPagesAtLength } from './docs/at-length.ts'
import { rehearseImage } from './image/rehearse.ts'
import { findK6 } from './k6/find-k6.ts'
import { projectPath } from './project-path.ts'
import { playAtLength } from './repro/at-length.ts'
import { accuse } from './smoke/accuse.ts'
import { matrixSummary, runMatrix } from './smoke/mutant-matrix.ts'
import { spoilAtLength } from './spoil/at-length.ts'

const SEEDS = [1, 2, 3, 4, 5]
const sets = Object.keys(CHOICE_SETS) as ChoiceSetName[] // its keys are the names

let told = 0
let failed = 0
const tell = (name: string, problem: string | undefined) => {
  told++
  if (problem !== undefined) failed++
  console.log(problem === undefined ? `ok      ${name}` : `FAILED  ${name}: ${problem}`)
}

const cells = await runMatrix({
  runs: sets.flatMap((choices) => MUTANTS.map((mutant) => ({ choices, mutant }))),
  jobs: 2,
  accuse: ({ mutant, choices }) => accuse(mutant, { choices }),
  onCell: ({ mutant, choices, problem }) => tell(`mutant ${mutant.name}, choices ${choices}`, problem),
})
console.log(matrixSummary(cells))

for (const choices of sets) {
  for (const seed of SEEDS) {
    tell(`seed ${seed}, choices ${choices}`, (await accuse(null, { choices, seed })).problem)
  }
  // What a world has too little of may be left open there: no rule may be accused.
  for (const world of worldNames()) {
    tell(
      `world ${world}, choices ${choices}`,
      (await accuse(null, { choices, world, strict: false })).problem,
    )
  }
}

await followPagesAtLength(tell)
await playAtLength(tell)
await spoilAtLength(tell)
proveComparisons(tell)
rehearseImage(tell)
// Where there is no cluster, it says so.
const cluster = spawnSync('npm', ['run', '--silent', 'test:kubernetes'], {
  cwd: projectPath('.'),
  stdio: 'inherit',
})
tell('tests in a cluster', cluster.status === 0 ? undefined : `ended with ${cluster.status}`)

const k6 = await findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: console.error })
await proveCapacity({ k6, tell })

const fuzz = ['test', './series', '-run', '^$', '-fuzz', 'FuzzBucketHoldsItsValue', '-fuzztime', '5m']
const { status } = spawnSync('go', fuzz, { cwd: projectPath('k6'), stdio: 'inherit' })
tell('fuzz the histogram’s buckets for 5 minutes', status === 0 ? undefined : `go test ended with ${status}`)

const long = ['--import', 'tsx', projectPath('scripts/schemathesis.ts'), '--long']
const schemathesis = spawnSync(process.execPath, long, { stdio: 'inherit' })
tell('Schemathesis at length', schemathesis.status === 0 ? undefined : 'see above')

console.log(`${told - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
