// Runs against stubs with other choices for everything unspecified, so that assumptions of a scenario show.
import { expect, test } from 'vitest'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { sampleNames } from '../test/tree-sample.ts'
import { runMutant } from './mutant-matrix.ts'
import { findProblems, samplePools } from './test-pools.ts'

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

test.each(sampleNames(others, 1).flatMap((choices) => samplePools(choices, 1)))(
  '$name are detected',
  { timeout: RUN_MS_MAX },
  async ({ pool }) => expect(await findProblems(pool)).toEqual([]),
)
