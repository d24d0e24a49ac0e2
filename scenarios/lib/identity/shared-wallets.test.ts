import { expect, test } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import {
  beginChallenge,
  beginSignIn,
  createTurns,
  endTurn,
  type Stay,
  shareWallet,
  signInByTurns,
} from './shared-wallets.ts'

const wallets = (count: number) => Array.from({ length: count }, (_, index) => ({ address: `w${index}` }))

function share(
  count: number,
  use: { use: string; number: number; standsForOther?: true },
  given: Map<string, string> = new Map(),
): string {
  return shareWallet(wallets(count), { standsForOther: false, given, ...use }).address
}

test('one wallet serves every use of the same user', () => {
  expect([0, 3, 17].map((number) => share(1, { use: `use ${number}`, number }))).toEqual(['w0', 'w0', 'w0'])
})

test('a use that stands for another user never shares a wallet', () => {
  const others = [0, 1, 2, 3, 4].map((number) => share(3, { use: `use ${number}`, number }))
  expect(others).toEqual(['w0', 'w1', 'w0', 'w1', 'w0'])
  expect(share(3, { use: 'foreign', number: 7, standsForOther: true })).toBe('w2')
  expect(() => share(1, { use: 'foreign', number: 7, standsForOther: true })).toThrow(
    'needs 2 wallets with access, and the profile has 1',
  )
  expect(() => share(0, { use: 'sign in', number: 0 })).toThrow(
    'needs a wallet with access, and the profile has none',
  )
})

test('two uses of one probe get two wallets, the same use gets the same one', () => {
  const given = new Map<string, string>()
  expect(share(3, { use: 'mine', number: 0 }, given)).toBe('w0')
  expect(share(3, { use: 'also mine', number: 2 }, given)).toBe('w1')
  expect(share(3, { use: 'mine', number: 0 }, given)).toBe('w0')
  expect(() => share(3, { use: 'third', number: 4 }, given)).toThrow('needs 3 wallets with access')
})

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
