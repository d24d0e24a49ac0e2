/** For tests: pools of mutants, and what their runs get wrong. */
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { PROBED_MUTANTS } from '../../simulator/mutants/mutants.ts'
import { sampleByTree } from '../test/tree-sample.ts'
import { runMatrix, runMutant } from './mutant-matrix.ts'
import { POOL, type Pool, poolMutants } from './pool-mutants.ts'

export function samplePools(choices: ChoiceSetName, count: number): { name: string; pool: Pool }[] {
  const pools = poolMutants(PROBED_MUTANTS, { choices, sizeMax: POOL }).map((pool) => ({
    name: `${pool.mutants.map(({ name }) => name).join(', ')}, choices ${choices},`,
    pool,
  }))
  return sampleByTree(pools, count)
}

export async function findProblems(pool: Pool): Promise<string[]> {
  const { cells } = await runMatrix({
    pools: [pool],
    jobs: 1,
    runMutant: (mutant, choices) => runMutant(mutant, { choices }),
    onCell: () => {},
  })
  return cells.flatMap(({ mutant, problem }) => (problem === undefined ? [] : [`${mutant.name}: ${problem}`]))
}
