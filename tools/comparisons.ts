/**
 * `npm run comparisons`: whether comparisons are to be believed (tools/proofs/comparisons.ts). `-- --pairs N` so many times a
 * build against itself, in place of 40; `--slower N` so many times against a slower one, in place of 10; `--from SEED` other seeds,
 * for parts of it.
 */
import { parseArgs } from 'node:util'
import { proveComparisons } from './proofs/comparisons.ts'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '40' },
    slower: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
  },
})
let failed = 0
proveComparisons(
  (name, problem) => {
    if (problem !== undefined) failed++
    console.log(problem === undefined ? `ok      ${name}` : `FAILED  ${name}: ${problem}`)
  },
  { pairs: Number(values.pairs), slower: Number(values.slower), seed: Number(values.from) },
)
process.exitCode = failed === 0 ? 0 : 1
