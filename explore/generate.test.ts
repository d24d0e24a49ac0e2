import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../simulator/random.ts'
import { generateSequence } from './generate.ts'
import {
  ADMINISTRATOR,
  COMMAND_KINDS,
  createdLabel,
  describeCommand,
  type Sequence,
  sequenceSchema,
  TURN_MAX,
  usedLabels,
  withoutOrphans,
} from './sequence.ts'

function draw(seed: number, options?: Parameters<typeof generateSequence>[1]): Sequence {
  const { body, looks } = generateSequence(createRandom(seed).stream('test'), options)
  return [...body, ...looks]
}

test('labels are created once, in an earlier turn than the one that uses them', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const known = new Set<string>()
      for (const turn of draw(seed)) {
        for (const label of turn.flatMap(usedLabels)) expect(known).toContain(label)
        for (const created of turn.flatMap((command) => createdLabel(command) ?? [])) {
          expect(known).not.toContain(created)
          known.add(created)
        }
      }
    }),
  )
})

test('sequences are valid, none of their turns is too wide, and they use four wallets and the administrator', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const sequence = draw(seed)
      expect(sequenceSchema.parse(sequence)).toEqual(sequence)
      expect(withoutOrphans(sequence)).toEqual(sequence)
      for (const turn of sequence) {
        expect(turn.length).toBeLessThanOrEqual(TURN_MAX)
        for (const command of turn)
          if ('wallet' in command) expect(command.wallet).toBeLessThanOrEqual(ADMINISTRATOR)
      }
    }),
  )
})

test('the same seed draws the same sequence', () => {
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

const many = Array.from({ length: 300 }, (_, seed) => draw(seed))

test('all kinds are drawn, each in several sequences, and described', () => {
  const counts = COMMAND_KINDS.map((kind) => [
    kind,
    many.filter((sequence) => sequence.flat().some((command) => command.do === kind)).length,
  ])
  expect(counts.filter(([, count]) => Number(count) < 5)).toEqual([])
  expect(many.flat(2).filter((command) => /undefined|object/.test(describeCommand(command)))).toEqual([])
})

test('most sequences leave out most areas', () => {
  const areas = [
    ['refresh', 'log-out'],
    ['connect', 'subscribe'],
    ['page', 'walk'],
    ['route'],
    ['claim'],
    ['mint'],
  ]
  const counts = many.map((sequence) => {
    const kinds = sequence.slice(0, -1).flatMap((turn) => turn.map((command) => command.do as string))
    return areas.filter((area) => area.some((kind) => kinds.includes(kind))).length
  })
  expect(counts.filter((count) => count <= 3).length).toBeGreaterThan(0.9 * many.length)
})

test('some races of refreshes are followed by the end of the session and refreshes with its last two cookies', () => {
  const ended = many.flatMap((sequence) =>
    sequence.flatMap((turn, place) => {
      const [raced] = turn
      if (raced?.do !== 'refresh' || turn.length < 2) return []
      const { session } = raced
      const expected = [
        [{ do: 'log-out', session, csrf: 'right' }],
        [{ do: 'refresh', session, cookie: 'former' }],
        [{ do: 'refresh', session, cookie: 'current' }],
      ]
      return [JSON.stringify(sequence.slice(place + 1, place + 4)) === JSON.stringify(expected)]
    }),
  )
  expect(ended).toContain(true)
  expect(ended).toContain(false)
})

test('only the given kinds are drawn', () => {
  const kinds = ['sign-in', 'page', 'walk'] as const
  const drawn = many.flatMap((_, seed) => draw(seed, { kinds })).flat()
  expect(new Set(drawn.map((command) => command.do))).toEqual(new Set(kinds))
})

test('continues the given turns with labels of its own', () => {
  const start: Sequence = [
    [{ do: 'sign-in', wallet: 0, as: 's1' }],
    [{ do: 'create-token', session: 's1', as: 't2', csrf: 'right' }],
  ]
  const sequence = draw(5, { start })
  expect(sequence.slice(0, 2)).toEqual(start)
  expect(withoutOrphans(sequence)).toEqual(sequence)
})
