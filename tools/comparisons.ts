/**
 * `npm run comparisons`: validates comparisons (tools/proofs/comparisons.ts). `-- --pairs N` of a build with itself (default:
 * 40), `--slower N` with a slower one (default: 10), `--from SEED` for other seeds.
 */
import { proveComparisons } from './proofs/comparisons.ts'
import { toolArguments } from './tool-arguments.ts'

const { values } = toolArguments('comparisons', {
  options: {
    pairs: { type: 'string', isNumber: true, default: '40' },
    slower: { type: 'string', isNumber: true, default: '10' },
    from: { type: 'string', isNumber: true, default: '1' },
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
