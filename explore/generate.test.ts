import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../simulator/random.ts'
import { createsTooMany, generateSequence, repeatTurns, varyCommand } from './generate.ts'
import { createKnowledge, learn } from './known.ts'
import {
  ADMINISTRATOR,
  COMMAND_KINDS,
  type Command,
  createdLabel,
  describeCommand,
  SESSIONS_MAX,
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

test('most renewals are by the credential that opened the socket', () => {
  let [same, all] = [0, 0]
  for (const sequence of many) {
    const opened = new Map<string, string | undefined>()
    for (const command of sequence.flat()) {
      if (command.do === 'ticket' || command.do === 'connect') opened.set(command.as, command.by)
      if (command.do === 'redeem') opened.set(command.as, opened.get(command.ticket))
      if (command.do !== 'renew') continue
      all += 1
      if (opened.get(command.socket) === command.by) same += 1
    }
  }
  expect(same / all).toBeGreaterThan(0.6)
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

const SIGN_IN: Command = { do: 'sign-in', wallet: 0, as: 's1' }
const TURNS: Sequence = [
  [{ do: 'sign-in', wallet: 1, as: 's2' }],
  [{ do: 'connect', by: 's2', as: 'c3' }],
  [
    { do: 'subscribe', socket: 'c3', rooms: [1] },
    { do: 'revoke-session', session: 's1', of: 's2', csrf: 'right' },
  ],
]

test('a copy of turns creates its own sessions and sockets, and uses them', () => {
  const known = createKnowledge()
  for (const command of [SIGN_IN, ...TURNS.flat()]) learn(known, command)
  expect(repeatTurns(TURNS, known)).toEqual([
    [{ do: 'sign-in', wallet: 1, as: 's4' }],
    [{ do: 'connect', by: 's4', as: 'c5' }],
    [
      { do: 'subscribe', socket: 'c5', rooms: [1] },
      { do: 'revoke-session', session: 's1', of: 's4', csrf: 'right' },
    ],
  ])
})

test('a sequence does not repeat turns until it has too many sessions', () => {
  const known = createKnowledge()
  for (let count = 1; count < SESSIONS_MAX; count++) learn(known, { ...SIGN_IN, as: `s${count}` })
  expect(createsTooMany(TURNS, known)).toBe(false)
  learn(known, SIGN_IN)
  expect(createsTooMany(TURNS, known)).toBe(true)
})

test('a request varies the last one for the same list, and no other', () => {
  const random = createRandom(1).stream('test')
  const known = createKnowledge()
  const before: Command = { do: 'page', list: '/swaps', by: 's1', limit: '2', pool: 1 }
  const drawn: Command = { do: 'page', list: '/swaps', by: 's2', offset: '3', pool: 4 }
  learn(known, before)
  const varied = Array.from({ length: 200 }, () => varyCommand(drawn, { random, known }))
  expect(varied).toContainEqual(drawn)
  expect(varied).toContainEqual({ ...before, pool: 4 })
  const other: Command = { do: 'page', list: '/pools', offset: '3' }
  expect(Array.from({ length: 20 }, () => varyCommand(other, { random, known }))).toEqual(
    Array(20).fill(other),
  )
})
