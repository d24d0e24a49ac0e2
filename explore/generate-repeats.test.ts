import { expect, test } from 'vitest'
import { createRandom } from '../simulator/random.ts'
import { createsTooMany, repeatTurns, varyCommand } from './generate-repeats.ts'
import { createKnowledge, learn } from './known.ts'
import { type Command, SESSIONS_MAX, type Sequence } from './sequence.ts'

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
