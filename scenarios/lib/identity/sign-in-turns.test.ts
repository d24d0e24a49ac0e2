import { expect, test } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { beginChallenge, beginSignIn, endTurn, type Stay, signInByTurns } from './sign-in-turns.ts'

function probe(stay?: Stay): Target {
  const target = {} as Target // as: known by its identity alone
  if (stay) signInByTurns(target, stay)
  return target
}

async function hasTurn(turn: Promise<unknown>): Promise<boolean> {
  let had = false
  void turn.then(() => {
    had = true
  })
  for (let step = 0; step < 5; step++) await Promise.resolve()
  return had
}

test('a probe of moments keeps its turn to its end', async () => {
  const [first, second] = [probe('probe'), probe('probe')]
  const done = await beginSignIn(first)
  done()
  const next = beginChallenge(second)
  expect(await hasTurn(next)).toBe(false)
  expect(await hasTurn(beginSignIn(first))).toBe(true)
  endTurn(first)
  expect(await hasTurn(next)).toBe(true)
  endTurn(second)
})

test('a probe that waits gives its turn up once it is signed in', async () => {
  const [waiting, next] = [probe('sign-in'), probe('sign-in')]
  const done = await beginSignIn(waiting)
  const turn = beginSignIn(next)
  expect(await hasTurn(turn)).toBe(false)
  done()
  expect(await hasTurn(turn)).toBe(true)
  endTurn(next)
})

test('where no wallet is shared, nobody waits', async () => {
  const holder = probe('probe')
  await beginSignIn(holder)
  expect(await hasTurn(beginSignIn(probe()))).toBe(true)
  endTurn(holder)
})
