import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { type Judge, judgeProbe } from '../verdict/judge.ts'
import { findOtherRows, judgeRowsByToken, type List } from './rows-by-token.ts'

/** Swaps of each read of a credential; the last read repeats. */
const world = vi.hoisted(() => ({ session: [[]] as string[][], token: [[]] as string[][], reads: 0 }))

type Confirmed<Seen> = {
  first: Seen
  describeError: (seen: Seen) => string | undefined
  again: () => Promise<Seen>
}

// Modules that need k6.
vi.mock('./read-unclaimed.ts', () => ({
  async readOwedTo(_: Target, credential: object) {
    world.reads++
    const lists = 'bearer' in credential ? world.token : world.session
    const [swaps = []] = lists.length > 1 ? lists.splice(0, 1) : lists
    const rows = swaps.map((swap_id) => ({ swap_id, is_private: false }))
    return { reply: { status: 200, json: { data: { pending_swaps: rows, positions_with_owed: [] } } } }
  },
}))
vi.mock('../requests/request-parsed.ts', () => ({
  requestParsed: async () => ({ status: 200, json: { data: [] } }),
}))
vi.mock('../requests/confirm.ts', () => ({
  async confirm<Seen>({ first, describeError, again }: Confirmed<Seen>) {
    let last = first
    for (let tries = 1; describeError(last) !== undefined; tries++) {
      if (tries === 4) return { outcome: 'persistent', last, explanation: describeError(last) }
      last = await again()
    }
    return { outcome: 'gone', last, explanation: '' }
  },
}))

beforeEach(() => Object.assign(world, { session: [[]], token: [[]], reads: 0 }))

async function check(): Promise<unknown[]> {
  const found: unknown[] = []
  const [rule, session, bearer] = ['some.rule', { cookie: 's', csrf: undefined }, { bearer: 't' }]
  await judgeProbe({
    rules: [rule],
    getExpected: () => '',
    run: (judge: Judge) => judgeRowsByToken({} as Target, judge, { rule, session, bearer }), // as: unused
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, evidence }) => found.push(verdict, evidence),
  })
  return found
}

const SWAPS = ['a', 'b']

test.each([
  { why: 'lacks a swap for good', session: [SWAPS], token: [['a']], evidence: ['not for the token: swap b'] },
  { why: 'has another wallet’s', session: [['a']], token: [SWAPS], evidence: ['only for the token: swap b'] },
])('fails if a token $why', async ({ evidence, ...lists }) => {
  Object.assign(world, lists)
  expect(await check()).toEqual(['fail', evidence])
})

test.each([
  { why: 'rows agree', session: [SWAPS], token: [['b', 'a']], reads: 2 },
  { why: 'a row is claimed between the reads', session: [SWAPS, ['a']], token: [['a']], reads: 3 },
  { why: 'the token’s read lags once', session: [SWAPS], token: [['a'], SWAPS], reads: 5 },
  {
    why: 'another row is missing each time',
    session: [['a'], ['a'], ['b'], ['b'], []],
    token: [[]],
    reads: 6,
  },
])('fails nothing if $why', async ({ reads, ...lists }) => {
  Object.assign(world, lists)
  expect(await check()).toEqual(['inconclusive', []])
  expect(world.reads).toBe(reads)
})

const list = (rows: List['rows'], sharedMax = 9): List => ({ rows, sharedMax })
const POSITION = { token_id: 't', pool: 'p', tick_lower: -10, tick_upper: 10, is_private: false }

test.each([
  { why: 'the same position', shown: [{ ...POSITION, tokens_owed0: '7' }], found: [] },
  {
    why: 'another range',
    shown: [{ ...POSITION, tick_upper: 20 }],
    found: ['not for the token: position t p -10 10', 'only for the token: position t p -10 20'],
  },
  { why: 'the position as a private one', shown: [{ ...POSITION, is_private: true }], found: [] },
  { why: 'a row that names nothing', shown: [POSITION, { is_private: false }], found: [] },
])('finds $found if the token has $why', ({ shown, found }) => {
  expect(findOtherRows(list(shown), list([POSITION]))).toEqual(found)
})

test('leaves private rows alone', () => {
  const hidden = list([{ ...POSITION, is_private: true }])
  expect(findOtherRows(list([]), hidden)).toEqual([])
  expect(findOtherRows(hidden, list([]))).toEqual([])
})

test('compares the first rows of a page, fewer of them the more private rows the other page has', () => {
  const page = (text: string) =>
    list(
      text.split('').map((id) => ({ swap_id: id, is_private: id > 'm' })),
      3,
    )
  const lacking = (text: string) => findOtherRows(page(text), page('abcd'))
  expect(lacking('')).toEqual(['a', 'b', 'c'].map((id) => `not for the token: swap ${id}`))
  expect(lacking('xa')).toEqual(['not for the token: swap b'])
  expect(lacking('xyz')).toEqual([])
  expect(lacking('xxxx')).toEqual([])
  expect(lacking('abce')).toEqual([])
})
