/**
 * `npm run comparisons`: validates comparisons (tools/proofs/comparisons.ts). `-- --pairs N` of a build with itself (default:
 * 40), `--slower N` with a slower one (default: 10), `--from SEED` for other seeds.
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
