import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from '../../contract/match-glob.ts'
import { validate } from '../../contract/validate.ts'
import { faultPlanSchema, globsOverlap } from './fault-plan.ts'

const fault = 'ws-close'

const problems = (...faults: object[]) =>
  faultPlanSchema
    .safeParse({ description: 'of a test', faults })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

const OVERLAP = 'faults.1: closes the same sockets in the same period as faults[0]'
const of = (...addresses: string[]) => ({ where: { clients: { addresses } } })

test.each([
  ['at once', {}, {}],
  ['at the end of the staggered closes', { staggerMs: 1000 }, { when: { afterMs: 1000 } }],
  ['while the other closes repeatedly', { everyMs: 1000 }, { when: { afterMs: 86_400_000 } }],
  ['at the last of these', { everyMs: 1000, when: { forMs: 2001 } }, { when: { afterMs: 2000 } }],
  ['with the same block', { when: { afterBlocks: 3 } }, { when: { afterBlocks: 3 } }],
  ['by globs that share a wallet', of('bw1a*'), of('bw1x', '*z')],
  ['by wallet and by room', of('bw1a'), { where: { rooms: ['trades:*'] } }],
])('rejects two that close the same sockets %s', (_when, one, other) => {
  expect(problems({ fault, ...one }, { fault, ...other })).toEqual([OVERLAP])
})

test.each([
  ['one after the other', { staggerMs: 1000 }, { when: { afterMs: 1001 } }],
  ['once the other has ended', { everyMs: 1000, when: { forMs: 2000 } }, { when: { afterMs: 1001 } }],
  ['with different blocks', { when: { afterBlocks: 1 } }, { when: { afterBlocks: 2 } }],
  ['of different wallets', of('bw1a*'), of('bw1b*', 'bw1c')],
  [
    'of different programs',
    { where: { clients: { userAgents: ['bot/*'] } } },
    { where: { clients: { userAgents: ['page/*'] } } },
  ],
  ['together with another fault', {}, { fault: 'ws-blackhole' }],
])('accepts two %s', (_what, one, other) => {
  const [first, second] = [
    { fault, ...one },
    { fault, ...other },
  ]
  expect([problems(first, second), problems(second, first)]).toEqual([[], []])
})

test('each overlap is reported along with other errors', () => {
  const found = problems(
    { fault },
    { fault: 'ws-drop', resync: 'yes' },
    { fault },
    { fault, code: 1005 },
    { fault },
  )
  expect(found).toEqual([
    'faults.1.resync: Invalid input: expected boolean, received string',
    'faults.3.code: expected 1000 to 1014 without 1004 and 1005, or 3000 to 4999',
    'faults.2: closes the same sockets in the same period as faults[0]',
    'faults.3: closes the same sockets in the same period as faults[0]',
    'faults.4: closes the same sockets in the same period as faults[0]',
  ])
})

const LIST = 'expected the number of a match, from 1, or {"match": NUMBER, "draw": MILLISECONDS}'
const TOGETHER = 'together with on, which lists every match that triggers'
const NO_DRAW = 'expected only the number of the match, because this fault draws no delay'
const uniform = { distribution: 'uniform', minMs: 1, maxMs: 9 }

test.each([
  [{ on: [0] }, 'faults[0].when.on[0]: expected at least 1'],
  [{ on: ['third'] }, `faults[0].when.on[0]: ${LIST}`],
  [{ on: [1, 2.5] }, `faults[0].when.on[1]: ${LIST}`],
  [{ on: [{ match: 0, draw: 1 }] }, 'faults[0].when.on[0].match: expected at least 1'],
  [{ on: [{ match: 1, draw: -1 }] }, 'faults[0].when.on[0].draw: expected at least 0'],
  [{ on: [2, 1] }, 'faults[0].when.on[1]: expected more than 2: matches are in ascending order'],
  [
    { on: [1, { match: 1, draw: 5 }] },
    'faults[0].when.on[1]: expected more than 1: matches are in ascending order',
  ],
  [{ on: [1], every: 1 }, `faults[0].when.every: expected no every ${TOGETHER}`],
  [{ on: [1], times: 2 }, `faults[0].when.times: expected no times ${TOGETHER}`],
  [{ on: [1], probability: 0.5 }, `faults[0].when.probability: expected no probability ${TOGETHER}`],
])('rejects a schedule of %j', (when: object, problem) => {
  const faults = [{ fault: 'http-latency', latency: uniform, when }]
  expect(validate(faultPlanSchema, { description: 'of a test', faults }).problems).toEqual([problem])
})

test('rejects a draw of a fault that draws nothing', () => {
  const when = { on: [1, { match: 3, draw: 5 }] }
  const fixed = { distribution: 'fixed', ms: 5 }
  const faults = [
    { fault: 'http-hang', when },
    { fault: 'http-latency', latency: fixed, when },
    { fault: 'http-latency', latency: uniform, when },
  ]
  expect(problems(...faults)).toEqual([`faults.0.when.on.1: ${NO_DRAW}`, `faults.1.when.on.1: ${NO_DRAW}`])
})

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['a*', 'abc', true],
  ['a*', '*c', true],
  ['a*x*c', 'ab*y*', true],
  ['a*', 'b*', false],
  ['*a', '*b', false],
  ['ab*', 'a*', true],
  ['*', 'abc', true],
  ['ab*ba', 'aba', false],
])('%s and %s: %s', (one, other, expected) => {
  expect([globsOverlap(one, other), globsOverlap(other, one)]).toEqual([expected, expected])
})

const letters = (extra: string) =>
  fc.array(fc.constantFrom('a', 'b', ...extra), { maxLength: 6 }).map((list) => list.join(''))

test('overlap exactly if some text matches both', () => {
  const texts = allTexts(7)
  fc.assert(
    fc.property(letters('*'), letters('*'), (one, other) => {
      const shared = texts.some((text) => matchesGlob(one, text) && matchesGlob(other, text))
      // A text that two globs of six letters share is at most as long as both without their stars.
      if (`${one}${other}`.replaceAll('*', '').length <= 7) expect(globsOverlap(one, other)).toBe(shared)
    }),
  )
})

function allTexts(lengthMax: number): string[] {
  const texts = ['']
  for (let first = 0; (texts[first] ?? '').length < lengthMax; first++) {
    texts.push(`${texts[first]}a`, `${texts[first]}b`)
  }
  return texts
}
