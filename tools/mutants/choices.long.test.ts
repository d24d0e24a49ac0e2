// Runs against stubs with other choices for everything unspecified, so that assumptions of a scenario show.
import { expect, test } from 'vitest'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { PROBED_MUTANTS } from '../../simulator/mutants/mutants.ts'
import { sampleNames } from '../../tools/test/tree-sample.ts'
import { sampleByTree } from '../test/tree-sample.ts'
import { runMutant } from './mutant-matrix.ts'

const RUN_MS_MAX = 180_000
const sets = Object.keys(CHOICE_SETS) as ChoiceSetName[] // as: its keys are the names
const others = sets.filter((choices) => choices !== 'default')

test.each(sampleNames(others, 1))(
  'no scenario assumes what is not specified, choices %s',
  { timeout: RUN_MS_MAX },
  async (choices) => {
    const { exitCode, report } = await runMutant(null, { choices })
    expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(exitCode).toBe(0)
  },
)

const pairs = PROBED_MUTANTS.flatMap((mutant) =>
  others.map((choices) => ({ name: `${mutant.name}, choices ${choices}`, mutant, choices })),
)

test.each(sampleByTree(pairs, 1))(
  '$name is detected',
  { timeout: RUN_MS_MAX },
  async ({ mutant, choices }) => {
    const { exitCode, reported } = await runMutant(mutant, { choices })
    expect([...reported].sort()).toEqual([...mutant.rules].sort())
    expect(exitCode).toBe(1)
  },
)
