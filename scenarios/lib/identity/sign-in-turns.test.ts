import { expect, test } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import {
  beginChallenge,
  beginSignIn,
  createTurns,
  endTurn,
  type Stay,
  signInByTurns,
} from './sign-in-turns.ts'

function probe(stay?: Stay): Target {
  const target = {} as Target // as: only its identity matters
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

test('a short probe keeps its turn to its end', async () => {
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

test('a waiting probe releases its turn after the sign-in', async () => {
  const [waiting, next] = [probe('sign-in'), probe('sign-in')]
  const done = await beginSignIn(waiting)
  const turn = beginSignIn(next)
  expect(await hasTurn(turn)).toBe(false)
  done()
  expect(await hasTurn(turn)).toBe(true)
  endTurn(next)
})

test('without shared wallets no probe waits', async () => {
  const holder = probe('probe')
  await beginSignIn(holder)
  expect(await hasTurn(beginSignIn(probe()))).toBe(true)
  endTurn(holder)
})

test('one at a time, in order of arrival', async () => {
  const turns = createTurns()
  const seen: string[] = []
  const visit = async (name: string) => {
    const owner = { name }
    await turns.enter(owner)
    seen.push(`${name} in`)
    await Promise.resolve()
    await turns.enter(owner)
    seen.push(`${name} out`)
    turns.leave(owner)
  }
  await Promise.all(['first', 'second', 'third'].map(visit))
  expect(seen).toEqual(['first in', 'first out', 'second in', 'second out', 'third in', 'third out'])
})

test('leaving without having entered has no effect', async () => {
  const turns = createTurns()
  const holder = {}
  await turns.enter(holder)
  turns.leave({})
  let entered = false
  const next = turns.enter({}).then(() => {
    entered = true
  })
  await Promise.resolve()
  expect(entered).toBe(false)
  turns.leave(holder)
  await next
  expect(entered).toBe(true)
})
