import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryFamily, HistoryKind, Operation } from '../contract/history.ts'
import { checkHistory, listExercised } from './check-history.ts'
import { synthesizeHistory } from './synthetic-log.ts'

const NEVER = Number.POSITIVE_INFINITY

/** `R0 10-20 200>1`: a refresh with token 0, called at 10 ms, returned at 20 ms, that got token 1. */
function parse(text: string): Operation {
  const [, kind, argument, from, to, status, value] =
    /^(\w)(\d*) (\d+)-(\d+|never) (\d+)(?:>(\d+))?$/.exec(text) ?? []
  return {
    kind: kind as HistoryKind, // as: the test's own text
    argument: argument === '' ? null : Number(argument),
    call: Number(from) * 1000,
    return: to === 'never' ? NEVER : Number(to) * 1000,
    status: Number(status),
    value: value === undefined ? null : Number(value),
  }
}

function check(family: HistoryFamily, lines: readonly string[]) {
  const operations = lines.map(parse).sort((a, b) => a.call - b.call)
  return checkHistory({ key: 'it', family, operations })
}

const START = 'S7 0-1 200'

test.each([
  { what: 'a race with one winner', lines: [START, 'R0 2-9 200>1', 'R0 3-8 409', 'U1 10-11 200'] },
  { what: 'a race whose loser shares the session', lines: [START, 'R0 2-9 200>1', 'R0 3-8 200>1'] },
  { what: 'the loser first, as the winner is under way', lines: [START, 'R0 2-9 409', 'R0 3-20 200>1'] },
  {
    what: 'a repetition after a lost response',
    lines: [START, 'R0 2-9 0', 'R0 10-12 200>1', 'U1 13-14 200'],
  },
  { what: 'a read with the former cookies during a refresh', lines: [START, 'R0 2-9 200>1', 'U0 3-4 401'] },
  { what: 'a read that overtakes the logout', lines: [START, 'L 2-9 200', 'U0 3-8 200', 'U0 10-11 401'] },
  { what: 'a logout without a response', lines: [START, 'L 2-never 0', 'U0 3-8 200', 'U0 10-11 401'] },
  {
    what: 'a logout that fails and ends it later',
    lines: [START, 'L 2-3 500', 'U0 4-5 200', 'U0 10-11 401'],
  },
  { what: 'a rejected logout', lines: [START, 'L 2-3 403', 'U0 4-5 200'] },
  { what: 'a rate-limited logout', lines: [START, 'L 2-3 429', 'U0 4-5 200'] },
  {
    what: 'a replaced token that ends the session',
    lines: [START, 'R0 2-3 200>1', 'R0 4-5 401', 'U1 6-7 401'],
  },
  { what: 'a refresh token that has expired', lines: [START, 'R0 2-3 401', 'U0 4-5 401'] },
  { what: 'a read that is forbidden or limited', lines: [START, 'U0 2-3 403', 'U0 4-5 429', 'U0 6-7 503'] },
  { what: 'an access session that has expired', lines: [START, 'U0 2-3 200', 'U0 880000-880001 401'] },
])('a session may have $what', ({ lines }) => {
  expect(check('session', lines)).toEqual([])
})

test.each([
  {
    what: 'two winners',
    lines: [START, 'U0 1-2 200', 'R0 3-9 200>1', 'R0 4-8 200>2', 'U1 10-11 200'],
    rule: 'history.session.one-winner',
    shown: ['R 200', 'R 200'],
  },
  {
    what: 'a read after the logout has returned',
    lines: [START, 'U0 2-3 200', 'L 4-5 200', 'U0 6-7 401', 'U0 8-9 200', 'U0 10-11 200'],
    rule: 'history.session.stays-ended',
    shown: ['L 200', 'U 200'],
  },
  {
    what: 'a refresh after the logout',
    lines: [START, 'R0 2-3 200>1', 'L 4-5 200', 'R1 6-7 200>2'],
    rule: 'history.session.stays-ended',
    shown: ['L 200', 'R 200'],
  },
  {
    what: 'a winner whose cookies do not work',
    lines: [START, 'R0 2-3 200>1', 'U1 4-5 200', 'R1 6-9 200>2', 'R1 7-8 409', 'U2 10-11 401'],
    rule: 'history.session.lasts',
    shown: ['R 200', 'R 409', 'U 401'],
  },
])('$what of a session is a contradiction, and the shortest part shows it', ({ lines, rule, shown }) => {
  const found = check('session', lines)
  expect(found.map((each) => each.rule)).toEqual([rule])
  expect(found[0]?.operations.map(({ kind, status }) => `${kind} ${status}`)).toEqual(shown)
})

test.each([
  {
    what: 'uses during the revocation',
    lines: ['C7 0-1 201', 'D 2-9 200', 'T 3-5 200', 'T 6-8 401'],
    rules: [],
  },
  { what: 'a second revocation', lines: ['C7 0-1 200', 'D 2-9 200', 'D 3-8 404', 'D 10-11 200'], rules: [] },
  { what: 'a revocation without a response', lines: ['C7 0-1 200', 'D 2-3 0', 'T 4-5 401'], rules: [] },
  {
    what: 'a use after the revocation',
    lines: ['C7 0-1 200', 'D 2-3 200', 'T 4-5 200'],
    rules: ['history.token.stays-revoked'],
  },
  {
    what: 'a use that works again during the revocation',
    lines: ['C7 0-1 200', 'D 2-20 200', 'T 3-4 401', 'T 5-6 200'],
    rules: ['history.token.stays-revoked'],
  },
  {
    what: 'a 401 before the revocation',
    lines: ['C7 0-1 200', 'T 2-3 401', 'D 4-5 200'],
    rules: ['history.token.lasts'],
  },
])('$what of an API token: $rules', ({ lines, rules }) => {
  expect(check('token', lines).map(({ rule }) => rule)).toEqual(rules)
})

test.each([
  { what: 'one accepted claim', lines: ['F 0-9 200', 'F 1-8 429', 'F 2-7 0'], found: [] },
  { what: 'two claims 15 minutes apart', lines: ['F 0-1 200>10', 'F 900000-900001 200>910'], found: [] },
  { what: 'two claims at once', lines: ['F 0-9 200>10', 'F 1-8 200>10'], found: [null] },
  {
    what: 'a clock of the target that jumps',
    lines: ['F 0-1 200>10', 'F 10000-10001 200>1020'],
    found: ['the clock of the target jumped by 1000 s'],
  },
])('an address with $what', ({ lines, found }) => {
  expect(check('faucet', lines).map(({ reason }) => reason)).toEqual(found)
})

test('a credential with too many operations that never returned is undecided', () => {
  const lines = Array.from({ length: 25 }, () => 'D 2-never 0')
  const [first] = check('token', ['C7 0-1 200', ...lines, 'T 3-4 401'])
  expect(first?.reason).toBe('it has too many concurrent operations')
})

test('the history of a correct target never contradicts itself, whatever is lost', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (number, chances) => {
        const random = () => chances.next().value as number // as: the stream is infinite
        const { key, operations } = synthesizeHistory(number, { random, startUs: 0, lostShare: 0.2 })
        const [family] = key.split(' ') as [HistoryFamily]
        expect(checkHistory({ key, family, operations: operations.sort((a, b) => a.call - b.call) })).toEqual(
          [],
        )
      },
    ),
  )
})

const operation = (kind: HistoryKind, atSeconds: number, more: Partial<Operation>): Operation => ({
  kind,
  call: atSeconds * 1e6,
  return: atSeconds * 1e6 + 500,
  status: 200,
  argument: null,
  value: null,
  ...more,
})

function checkSingle(family: 'protocol' | 'ticket', operations: Operation[]) {
  const history = { key: 'it', family, operations }
  return { found: checkHistory(history).map(({ observed }) => observed), exercised: listExercised(history) }
}

const MINIMUM = ['history.protocol.minimum-revision']

test.each([
  { what: 'the same revision', more: { argument: 5, value: 5 }, found: [], exercised: MINIMUM },
  { what: 'a newer revision', more: { argument: 5, value: 9 }, found: [], exercised: MINIMUM },
  { what: 'a pending revision', more: { status: 503, argument: 5, value: null }, found: [], exercised: [] },
  { what: 'no revision in the response', more: { argument: 5, value: null }, found: [], exercised: [] },
  {
    what: 'an error with a revision',
    more: { status: 500, argument: 5, value: 4 },
    found: [],
    exercised: [],
  },
  {
    what: 'an older revision',
    more: { argument: 5, value: 4 },
    found: ['revision 4 was returned for minimum_revision 5'],
    exercised: MINIMUM,
  },
])('a read of the configuration may get $what: $found', ({ more, found, exercised }) => {
  expect(checkSingle('protocol', [operation('P', 0, more)])).toEqual({ found, exercised })
})

const EXPIRES = ['history.ticket.expires']
const LATE = ['authenticated after it had expired']

test.each([
  { what: 'in time', atSeconds: 50, more: {}, found: [], exercised: [] },
  { what: 'about when it expires', atSeconds: 75, more: {}, found: [], exercised: [] },
  { what: 'late, without success', atSeconds: 76, more: { status: 401 }, found: [], exercised: EXPIRES },
  { what: 'late, with success', atSeconds: 76, more: {}, found: LATE, exercised: EXPIRES },
  {
    what: 'late, on a socket that was lost',
    atSeconds: 76,
    more: { return: Number.POSITIVE_INFINITY },
    found: [],
    exercised: [],
  },
])('a ticket that is used $what: $found', ({ atSeconds, more, found, exercised }) => {
  expect(checkSingle('ticket', [operation('K', 0, {}), operation('H', atSeconds, more)])).toEqual({
    found,
    exercised,
  })
})

test('a ticket that was never issued shows nothing', () => {
  expect(checkSingle('ticket', [operation('H', 99, {})])).toEqual({ found: [], exercised: [] })
})
