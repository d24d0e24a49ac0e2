/**
 * `npm run mutants`: runs all rules against every mutant of the stub. Each rule that a mutant breaks must be reported, and no
 * other. `-- --choices alternative` uses one set of choices, `--sample N` a sample drawn by the commit, `--only GLOB` mutants by name
 * (repeatable), `--pool N` mutants at most in one run, `--jobs N` runs in parallel.
 */
import { matchesGlob } from '../contract/match-glob.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { unknownName } from '../contract/unknown-name.ts'
import { CHOICE_SETS } from '../simulator/choices/choices.ts'
import { PROBED_MUTANTS } from '../simulator/mutants/mutants.ts'
import { matrixSummary, matrixTable, runMatrix, runMutant } from './mutants/mutant-matrix.ts'
import { POOL, poolMutants } from './mutants/pool-mutants.ts'
import { sampleByTree } from './test/tree-sample.ts'
import { exitWith, toolArguments } from './tool-arguments.ts'

const sets = Object.keys(CHOICE_SETS) as ChoiceSetName[] // as: its keys are the names
const { values } = toolArguments('mutants', {
  options: {
    choices: { type: 'string', names: sets },
    sample: { type: 'string', isNumber: true },
    only: { type: 'string', multiple: true, default: ['*'] },
    pool: { type: 'string', isNumber: true, default: String(POOL) },
    jobs: { type: 'string', isNumber: true, default: '3' },
  },
})
const chosen = sets.filter((name) => values.choices === undefined || values.choices === name)
const named = PROBED_MUTANTS.filter(({ name }) => values.only.some((glob) => matchesGlob(glob, name)))
for (const glob of values.only) {
  if (PROBED_MUTANTS.some(({ name }) => matchesGlob(glob, name))) continue
  const names = PROBED_MUTANTS.map(({ name }) => name)
  const listed = '`npx breakwater smoke --list-mutants` lists all mutants.'
  exitWith(
    'mutants',
    unknownName(`--only: no mutant matches ${JSON.stringify(glob)}`, { name: glob, names, listed }),
  )
}
const mutants = values.sample === undefined ? named : sampleByTree(named, Number(values.sample))
const sizeMax = Math.max(1, Number(values.pool))

const startedMs = Date.now()
const matrix = await runMatrix({
  pools: chosen.flatMap((choices) => poolMutants(mutants, { choices, sizeMax })),
  jobs: Math.max(1, Number(values.jobs)),
  runMutant: (mutant, choices) => runMutant(mutant, { choices }),
  onCell: ({ choices, mutant, problem }) => {
    const outcome = problem === undefined ? `detected: ${mutant.rules.join(', ')}` : `FAILED: ${problem}`
    console.log(`${mutant.name}, ${choices}: ${outcome}`)
  },
})

console.log('\nRules and the mutants that they detected')
for (const line of matrixTable(matrix.cells)) console.log(line)
console.log(`\n${matrixSummary(matrix)}, ${Math.round((Date.now() - startedMs) / 1000)} s`)
process.exitCode = matrix.cells.some(({ problem }) => problem !== undefined) ? 1 : 0
