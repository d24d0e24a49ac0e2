import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../simulator/random.ts'
import { generateSequence } from './generate.ts'
import { type Command, countCommands, type Sequence, withoutOrphans } from './sequence.ts'
import { shrinkSequence } from './shrink.ts'

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
