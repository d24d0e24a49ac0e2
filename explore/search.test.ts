import { expect, test } from 'vitest'
import { CHOICE_SET_NAMES } from '../contract/scenario-config.ts'
import type { MutantName } from '../simulator/mutants/mutants.ts'
import { exploredStub, withExploredStubs } from '../tools/test/explored-stub.ts'
import { sampleNames } from '../tools/test/tree-sample.ts'
import { confirmSequence, type Explored, type ExploreProgress, searchSequences } from './search.ts'
import { COMMAND_KINDS, countCommands, type Sequence } from './sequence.ts'

const SEED = 7

/** Stops at the first finding. */
function findFirst(mutant: MutantName | null, sequencesMax: number): Promise<Explored> {
  return withExploredStubs({ mutant, seed: SEED }, (nextStage) =>
    searchSequences({
      nextStage,
      seed: SEED,
      kinds: COMMAND_KINDS,
      sequencesMax,
      findingsMax: 1,
      isOver: () => false,
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

const REVIVED: Sequence = [
  [{ do: 'sign-in', wallet: 0, as: 's1' }],
  [{ do: 'revoke-session', session: 's1', of: 's1', csrf: 'right' }],
  [{ do: 'refresh', session: 's1', cookie: 'current' }],
]

const CONCURRENT: Sequence = [...REVIVED.slice(0, -1), [...(REVIVED.at(-1) ?? []), { do: 'list-registry' }]]

test.each([
  { shows: [1, 2, 3], times: 3, of: 3 },
  { shows: [1, 3], times: 2, of: 3 },
  // One of three is too few to tell, so there are three more.
  { shows: [3, 5], times: 2, of: 6 },
  { shows: [2], times: 1, of: 6 },
  { shows: [], times: 0, of: 3 },
  // The order of concurrent commands may differ.
  { sequence: CONCURRENT, shows: [4, 6], times: 2, of: 6 },
])(
  'repetitions $shows show the violation: $times of $of',
  async ({ sequence = REVIVED, shows, times, of }) => {
    const right = await exploredStub({ mutant: null })
    const wrong = await exploredStub({ mutant: 'sequence-own-revoke-keeps-refresh' })
    let tried = 0
    const nextStage = async () => (shows.includes(++tried) ? wrong : right)
    const confirmed = await confirmSequence(sequence, 'auth.sessions.revoke-ends-refresh', nextStage)
    expect(confirmed).toMatchObject({ times, of })
  },
)
