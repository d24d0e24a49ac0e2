import { expect, test } from 'vitest'
import { CHOICE_SET_NAMES } from '../contract/scenario-config.ts'
import type { MutantName } from '../simulator/mutants/mutants.ts'
import { withExploredStubs } from '../tools/test/explored-stub.ts'
import { sampleNames } from '../tools/test/tree-sample.ts'
import { type Explored, type ExploreProgress, searchSequences } from './search.ts'
import { COMMAND_KINDS, countCommands } from './sequence.ts'

const SEED = 7

/** Stops at the first finding. */
function findFirst(mutant: MutantName | null, sequencesMax: number): Promise<Explored> {
  let isFound = false
  return withExploredStubs({ mutant, seed: SEED }, (nextStage) =>
    searchSequences({
      nextStage,
      seed: SEED,
      kinds: COMMAND_KINDS,
      sequencesMax,
      isOver: () => isFound,
      onProgress: ({ findings }) => {
        isFound = findings > 0
      },
    }),
  )
}

const FOUND: readonly MutantName[] = [
  'sequence-fifth-refresh-keeps-token',
  'sequence-csrf-unknown-after-two-refreshes',
  'sequence-replaced-token-survives-logout',
  'sequence-logout-after-two-refreshes-ignored',
  'sequence-second-revoke-ends-caller',
  'sequence-session-unlisted-after-two-refreshes',
  'sequence-revoke-of-refreshed-ignored',
  'sequence-own-revoke-keeps-refresh',
]

test.each(sampleNames(FOUND, 4))('finds %s', async (mutant) => {
  const { findings } = await findFirst(mutant, 300)
  expect(findings).toMatchObject([{ confirmed: { of: 3 } }])
  expect(countCommands(findings[0]?.sequence ?? [])).toBeLessThanOrEqual(10)
  expect(findings[0]?.steps.length).toBeGreaterThan(1)
})

const SEQUENCES = 40

// Another seed for each tree, from that of the properties.
const TREE_SEED = Math.abs(Number(process.env.BREAKWATER_PROPERTY_SEED ?? 1))

test.each(CHOICE_SET_NAMES)(
  'explains everything that a right exchange does (choices: %s)',
  async (choices) => {
    const last: ExploreProgress[] = []
    const { findings, unconfirmed, unjudged, sequences, commands, coverage } = await withExploredStubs(
      { choices, seed: SEED },
      (nextStage) =>
        searchSequences({
          nextStage,
          seed: TREE_SEED,
          kinds: COMMAND_KINDS,
          sequencesMax: SEQUENCES,
          isOver: () => false,
          onProgress: (progress) => last.splice(0, 1, progress),
        }),
    )
    expect({ findings, unconfirmed, sequences }).toEqual({
      findings: [],
      unconfirmed: [],
      sequences: SEQUENCES,
    })
    expect(unjudged.length).toBeLessThan(5)
    expect(last).toEqual([{ sequences, commands, coverage: coverage.size, findings: 0, shrinking: null }])
  },
)

test('the same seed draws the same sequences; a violation without time to confirm it is not lost', async () => {
  const run = () => findFirst('sequence-session-unlisted-after-two-refreshes', 5)
  const [first, second] = [await run(), await run()]
  expect(second.findings.map(({ path, sequence }) => ({ path, sequence }))).toEqual(
    first.findings.map(({ path, sequence }) => ({ path, sequence })),
  )
  let isOver = false
  const stopped = await withExploredStubs({ mutant: 'auth-verify-normalizes', seed: SEED }, (nextStage) =>
    searchSequences({
      nextStage,
      seed: SEED,
      kinds: COMMAND_KINDS,
      isOver: () => isOver,
      onProgress: () => {
        isOver = true
      },
    }),
  )
  expect(stopped).toMatchObject({
    sequences: 1,
    findings: [],
    unconfirmed: [{ rule: 'auth.verify.signs-in', path: 1 }],
  })
})
