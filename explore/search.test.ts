import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHOICE_SET_NAMES } from '../contract/scenario-config.ts'
import type { MutantName } from '../simulator/mutants/mutants.ts'
import { createRandom } from '../simulator/random.ts'
import { exploredStub, withExploredStubs } from '../tools/test/explored-stub.ts'
import { sampleNames } from '../tools/test/tree-sample.ts'
import { generateSequence } from './generate.ts'
import {
  confirmSequence,
  type Explored,
  type ExploreProgress,
  searchSequences,
  shrinkSequence,
} from './search.ts'
import { COMMAND_KINDS, type Command, countCommands, type Sequence, withoutOrphans } from './sequence.ts'

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

const TRIES_MAX = 100_000

function drawSequence(seed: number): Sequence {
  const { body, looks } = generateSequence(createRandom(seed).stream('test'))
  return [...body, ...looks]
}

test('keeps what fails, and no command of the result can be removed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), async (seed, places) => {
      const given = drawSequence(seed)
      // It fails as long as commands of these kinds are in it, in this order.
      const commands = given.flat()
      const wanted = [...new Set(places.map((place) => place % commands.length))]
        .sort((a, b) => a - b)
        .map((place) => commands[place]?.do)
      const fails = (sequence: Sequence) => {
        let met = 0
        for (const command of sequence.flat()) if (command.do === wanted[met]) met++
        return met === wanted.length
      }
      const shrunk = await shrinkSequence(given, {
        reproduces: async (each) => fails(each),
        triesMax: TRIES_MAX,
      })
      expect(fails(shrunk)).toBe(true)
      expect(withoutOrphans(shrunk)).toEqual(shrunk)
      for (const [turn, commands] of shrunk.entries())
        for (const left of commands) {
          const smaller = shrunk.with(
            turn,
            commands.filter((command) => command !== left),
          )
          expect(fails(withoutOrphans(smaller))).toBe(false)
        }
      expect(Math.max(...shrunk.map((turn) => turn.length))).toBe(1)
    }),
    { numRuns: 30 },
  )
})

const SIGN_IN: Command = { do: 'sign-in', wallet: 0, as: 's1' }
const REFRESH: Command = { do: 'refresh', session: 's1', cookie: 'former' }

test('keeps commands at once if they fail only at once', async () => {
  const given: Sequence = [
    [SIGN_IN],
    [REFRESH, REFRESH, { do: 'list-tokens', session: 's1' }, REFRESH],
    [REFRESH],
  ]
  const shrunk = await shrinkSequence(given, {
    triesMax: TRIES_MAX,
    reproduces: async (each) =>
      each.some((turn) => turn.filter((command) => command.do === 'refresh').length > 1),
  })
  const simple: Command = { ...REFRESH, cookie: 'current' }
  expect(shrunk).toEqual([[SIGN_IN], [simple, simple]])
})

test('tries simpler commands: fewer rooms, the right CSRF token', async () => {
  const given: Sequence = [
    [SIGN_IN],
    [{ do: 'connect', by: 's1', as: 'c1' }],
    [{ do: 'subscribe', socket: 'c1', rooms: [4, 5, 6, 7, 8] }],
    [{ do: 'log-out', session: 's1', csrf: 'wrong' }],
  ]
  const shrunk = await shrinkSequence(given, {
    triesMax: TRIES_MAX,
    reproduces: async (each) =>
      each.flat().some((command) => command.do === 'log-out') &&
      each.flat().some((command) => command.do === 'subscribe' && command.rooms.includes(7)),
  })
  expect(shrunk.slice(2)).toEqual([
    [{ do: 'subscribe', socket: 'c1', rooms: [7] }],
    [{ do: 'log-out', session: 's1', csrf: 'right' }],
  ])
})

test('stops at the limit of tries, with the best so far, and never tries a sequence twice', async () => {
  const tried: string[] = []
  const given = drawSequence(3)
  const shrinkWith = (triesMax: number, isSmaller: (sequence: Sequence) => boolean) => {
    tried.length = 0
    return shrinkSequence(given, {
      triesMax,
      reproduces: async (each) => {
        tried.push(JSON.stringify(each))
        return isSmaller(each)
      },
    })
  }
  expect(await shrinkWith(TRIES_MAX, () => false)).toEqual(given)
  expect(new Set(tried).size).toBe(tried.length)
  const best = await shrinkWith(2, () => true)
  expect(tried).toHaveLength(2)
  expect(countCommands(best)).toBeLessThan(countCommands(given))
})
