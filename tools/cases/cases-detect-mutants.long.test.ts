// Runs one case against one mutant, drawn by the commit: it must report what the mutant breaks, and nothing else. `npm run
// nightly` runs each case against every mutant.
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { loadCase } from '../../scripts/repro/load-case.ts'
import { listCaseMutants } from '../../simulator/mutants/case-mutants.ts'
import { CASE_MS_MAX, runCase, TESTED_CASES } from '../test/run-command-line.ts'
import { sampleByTree } from '../test/tree-sample.ts'

const found = await Promise.all(
  TESTED_CASES.map(async (name) => {
    const loaded = await loadCase(name, projectPath('.'))
    return sampleByTree(listCaseMutants(loaded), 1).map((mutant) => ({ name, mutant }))
  }),
)

test.each(sampleByTree(found.flat(), 1))(
  '$name finds $mutant.name',
  { timeout: CASE_MS_MAX },
  async ({ name, mutant }) => {
    const { exitCode, failed } = await runCase(name, ['--mutant', mutant.name])
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.filter((one) => ![...mutant.rules, ...mutant.sometimes].includes(one))).toEqual([])
    expect(exitCode).toBe(1)
  },
)
