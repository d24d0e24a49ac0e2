import { expect, test } from 'vitest'
import type { HistoryKind, Operation } from '../contract/history.ts'
import { checkHistory, listExercised } from './check-history.ts'

const operation = (kind: HistoryKind, atSeconds: number, more: Partial<Operation>): Operation => ({
  kind,
  call: atSeconds * 1e6,
  return: atSeconds * 1e6 + 500,
  status: 200,
  argument: null,
  value: null,
  ...more,
})

function check(family: 'protocol' | 'ticket', operations: Operation[]) {
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
  expect(check('protocol', [operation('P', 0, more)])).toEqual({ found, exercised })
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
  expect(check('ticket', [operation('K', 0, {}), operation('H', atSeconds, more)])).toEqual({
    found,
    exercised,
  })
})

test('a ticket that was never issued shows nothing', () => {
  expect(check('ticket', [operation('H', 99, {})])).toEqual({ found: [], exercised: [] })
})
