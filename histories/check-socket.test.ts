import { expect, test } from 'vitest'
import type { HistoryKind, Operation } from '../contract/history.ts'
import { checkHistory, listExercised } from './check-history.ts'
import { EVENT_TYPES } from './check-socket.ts'

/** `1000 E Trade.1 7`: at one second, an event in the trades room of pool 1, whose text is 7. */
function parse(text: string): Operation {
  const [, from, to, kind, type = '', argument, value] =
    /^(\d+)(?:-(\d+|never))? (\w)(?: ([A-Za-z]+))?(?:\.(\d+))?(?: (\d+))?$/.exec(text) ?? []
  const call = Number(from) * 1000
  return {
    kind: kind as HistoryKind, // as: the test's own text
    call,
    return: to === 'never' ? Number.POSITIVE_INFINITY : to === undefined ? call : Number(to) * 1000,
    status: Math.max(0, (EVENT_TYPES as readonly string[]).indexOf(type)),
    argument: argument === undefined ? null : Number(argument),
    value: value === undefined ? null : Number(value),
  }
}

function check(lines: readonly string[]) {
  const history = { key: 'socket 1', family: 'socket' as const, operations: lines.map(parse) }
  return {
    found: checkHistory(history).map(
      ({ rule, operations }) =>
        `${rule.slice('history.feed.'.length)}: ${operations.map(({ kind }) => kind).join(' ')}`,
    ),
    exercised: listExercised(history).map((rule) => rule.slice('history.feed.'.length)),
  }
}

const START = ['0 A.9', '1 J Trade.1', '2 J BalanceChange.9', '3-5 Y']

test.each([
  { what: 'events of its rooms', lines: ['6 E Trade.1 7', '7 E Trade.1 8', '8 E BalanceChange.9'] },
  { what: 'equal events without an identity', lines: ['6 E Trade.1', '7 E Trade.1'] },
  { what: 'an event before its subscription is confirmed', lines: ['6 J Trade.2', '7 E Trade.2 7'] },
  { what: 'an event that names no pool', lines: ['6 E Trade 7'] },
  { what: 'an event after a leave without a confirmation', lines: ['6 V Trade.1', '9000 E Trade.1 7'] },
  {
    what: 'an event within a second of the confirmation',
    lines: ['6 V Trade.1', '7-9 Y', '1008 E Trade.1 7'],
  },
  {
    what: 'an event after a synchronize from before the leave',
    lines: ['6-9 Y', '7 V Trade.1', '9000 E Trade.1 7'],
  },
  {
    what: 'an event after a synchronize without a response',
    lines: ['6 V Trade.1', '7-never Y', '9000 E Trade.1 7'],
  },
  {
    what: 'an event of a room that it joined again',
    lines: ['6 V Trade.1', '7-9 Y', '20 J Trade.1', '9000 E Trade.1 7'],
  },
])('a socket may have $what', ({ lines }) => {
  expect(check([...START, ...lines]).found).toEqual([])
})

test.each([
  {
    what: 'an event twice',
    lines: ['6 E Trade.1 7', '7 E Trade.1 8', '8 E Trade.1 7'],
    found: ['at-most-once: E E'],
  },
  { what: 'an event of another pool', lines: ['6 E Trade.2 7'], found: ['joined-rooms: E'] },
  { what: 'an event of another type', lines: ['6 E PoolStats.1'], found: ['joined-rooms: E'] },
  {
    what: 'an event that names no pool, of a type that it has not joined',
    lines: ['6 E PoolStats'],
    found: ['joined-rooms: E'],
  },
  {
    what: 'an event before it joins the room',
    lines: ['6 E Trade.2 7', '7 J Trade.2'],
    found: ['joined-rooms: E'],
  },
  {
    what: 'an event of a room that it left',
    lines: ['6 V Trade.1', '7-9 Y', '1009 E Trade.1 7'],
    found: ['joined-rooms: J V Y E'],
  },
  {
    what: 'a balance change of an address whose room it joined',
    lines: ['6 J BalanceChange.8', '7 E BalanceChange.8'],
    found: ['own-balance: J E'],
  },
  {
    what: 'a balance change of an address whose room it did not join',
    lines: ['7 E BalanceChange.8'],
    found: ['joined-rooms: E'],
  },
])('a socket may not have $what', ({ lines, found }) => {
  expect(check([...START, ...lines]).found).toEqual(found)
})

test('a socket whose wallet is unknown may have any balance changes', () => {
  expect(check(['0 A', '1 J BalanceChange.8', '2 E BalanceChange.8'])).toEqual({
    found: [],
    exercised: ['joined-rooms'],
  })
})

test.each([
  { what: 'nothing', lines: [], exercised: [] },
  { what: 'events', lines: ['6 E Trade.1 7'], exercised: ['at-most-once', 'joined-rooms'] },
  { what: 'events without an identity', lines: ['6 E Trade.1'], exercised: ['joined-rooms'] },
  {
    what: 'its own balance change',
    lines: ['6 E BalanceChange.9'],
    exercised: ['joined-rooms'],
  },
  { what: 'the room of another wallet', lines: ['6 J BalanceChange.8', '7-8 Y'], exercised: ['own-balance'] },
  { what: 'that room for a moment', lines: ['6 J BalanceChange.8', '7-never Y'], exercised: [] },
])('a socket with $what shows $exercised', ({ lines, exercised }) => {
  expect(check([...START, ...lines]).exercised).toEqual(exercised)
})
