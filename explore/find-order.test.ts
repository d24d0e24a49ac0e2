import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choicesSchema } from '../contract/profile.ts'
import { findOrder, type Order } from './find-order.ts'
import { explain } from './model/explain.ts'
import { type Done, EMPTY, type Outcome, type State } from './model/state.ts'
import type { Command } from './sequence.ts'

const PROFILED = { graceMs: 10_000, tokensMax: null, choices: choicesSchema.parse({}) }
const explainDone = (state: State, done: Done) => explain(state, done, PROFILED)

const REFRESH: Command = { do: 'refresh', session: 's1', cookie: 'current' }
const READ: Command = { do: 'read', by: 's1', path: '/unclaimed' }
const LOG_OUT: Command = { do: 'log-out', session: 's1', csrf: 'right' }

/** A command that was under way from `call` to `happened`, in places of the order. */
function done(command: Command, [callAt, returnAt]: [number, number], outcome: Outcome): Done {
  return { command, callAt, returnAt, callMs: callAt, returnMs: returnAt, isAlone: false, outcome }
}

function statesOf(order: Order): readonly State[] {
  if (!('states' in order) || order.states === null) throw new Error(`no order: ${JSON.stringify(order)}`)
  return order.states
}

const signIn = (label: string, wallet = 0, at = -2) =>
  done({ do: 'sign-in', wallet, as: label }, [at, at + 1], { status: 200 })
const SIGNED_IN = statesOf(findOrder([EMPTY], [signIn('s1')], explainDone))
const won = (granted: number): Outcome => ({ status: 200, used: 0, granted, hasAccess: true })
const LOST: Outcome = { status: 409, used: 0 }

test.each<{ what: string; turn: Done[]; rule: string | null; current?: number[] }>([
  {
    what: 'a race with one winner, whose response comes last',
    turn: [done(REFRESH, [1, 4], LOST), done(REFRESH, [2, 5], LOST), done(REFRESH, [3, 6], won(1))],
    rule: null,
    current: [1],
  },
  {
    what: 'a race with two winners: either has the valid token',
    turn: [done(REFRESH, [1, 3], won(1)), done(REFRESH, [2, 4], won(2))],
    rule: null,
    current: [1, 2],
  },
  {
    what: 'a 409 without a race',
    turn: [done(REFRESH, [1, 2], LOST)],
    rule: 'auth.refresh.revives',
  },
  {
    what: 'a race without a winner',
    turn: [done(REFRESH, [1, 3], LOST), done(REFRESH, [2, 4], LOST)],
    rule: 'auth.refresh.revives',
  },
  {
    what: 'a 409 that returned before the other refresh was sent',
    turn: [done(REFRESH, [1, 2], LOST), done(REFRESH, [3, 4], won(1))],
    rule: 'auth.refresh.revives',
  },
  {
    what: 'a 409 next to a refresh whose response was lost',
    turn: [done(REFRESH, [1, 3], LOST), done(REFRESH, [2, 4], { status: 0, used: 0 })],
    rule: null,
    current: [0],
  },
  {
    what: 'a read that is rejected while its session ends',
    turn: [done(READ, [1, 3], { status: 401, used: 0 }), done(LOG_OUT, [2, 4], { status: 200, used: 0 })],
    rule: null,
    current: [0],
  },
  {
    what: 'a read that is served while its session ends',
    turn: [done(LOG_OUT, [1, 3], { status: 200, used: 0 }), done(READ, [2, 4], { status: 200, used: 0 })],
    rule: null,
    current: [0],
  },
  {
    what: 'a read that is rejected while an altered refresh token is taken for theft',
    turn: [
      done(READ, [1, 3], { status: 401, used: 0 }),
      done({ do: 'ask', with: 'altered-end', for: 'POST /auth/refresh', by: 's1' }, [2, 4], { status: 401 }),
    ],
    rule: null,
    current: [0],
  },
  {
    what: 'a read that is rejected before its session ends',
    turn: [done(READ, [1, 2], { status: 401, used: 0 }), done(LOG_OUT, [3, 4], { status: 200, used: 0 })],
    rule: 'auth.verify.signs-in',
  },
  {
    what: 'a read that is served after its session has ended',
    turn: [done(LOG_OUT, [1, 2], { status: 200, used: 0 }), done(READ, [3, 4], { status: 200, used: 0 })],
    rule: 'auth.logout.current-only',
  },
])('$what', ({ turn, rule, current }) => {
  const order = findOrder(SIGNED_IN, turn, explainDone)
  if (rule !== null) expect(order).toMatchObject({ violation: { rule } })
  else {
    const valid = statesOf(order).map(({ sessions }) => sessions.s1?.current ?? -1)
    expect([...new Set(valid)].sort()).toEqual(current)
  }
})

/** Counts the calls of the model. */
function countExplained(states: readonly State[], turn: readonly Done[]): number {
  let count = 0
  const order = findOrder(states, turn, (state, each) => {
    count++
    return explainDone(state, each)
  })
  statesOf(order)
  return count
}

const WIDTH = 16

test('independent commands do not multiply', () => {
  const sessions = Array.from({ length: WIDTH }, (_, place) => `s${place + 1}`)
  const start = statesOf(
    findOrder(
      [EMPTY],
      sessions.map((label, at) => signIn(label, 0, at - 40)),
      explainDone,
    ),
  )
  const turn = sessions.map((session, place) => done({ ...REFRESH, session }, [place, place + WIDTH], won(1)))
  expect(countExplained(start, turn)).toBeLessThanOrEqual(WIDTH * WIDTH)
})

test('equal commands with equal outcomes do not multiply', () => {
  const connected = done({ do: 'connect', by: 's1', as: 'c1' }, [0, 1], { status: 200, isSynchronized: true })
  const start = statesOf(findOrder(SIGNED_IN, [connected], explainDone))
  const turn = Array.from({ length: WIDTH }, (_, place) =>
    done({ do: 'renew', socket: 'c1', by: 's1' }, [2 + place, 2 + place + WIDTH], {
      status: 200,
      isSynchronized: true,
    }),
  )
  expect(countExplained(start, turn)).toBeLessThanOrEqual(WIDTH * WIDTH)
})

test('commands that differ only in what they create do not multiply', () => {
  const turn = Array.from({ length: WIDTH }, (_, place) =>
    done({ do: 'create-token', session: 's1', as: `t${place}`, csrf: 'right' }, [place, place + WIDTH], {
      status: 201,
    }),
  )
  expect(countExplained(SIGNED_IN, turn)).toBeLessThanOrEqual(WIDTH * WIDTH)
})

test('a logout of all sessions may end either of two new sessions', () => {
  const turn = [
    done({ do: 'log-out-all', session: 's1', csrf: 'right' }, [0, 3], { status: 200 }),
    done({ do: 'sign-in', wallet: 0, as: 's2' }, [1, 4], { status: 200 }),
    done({ do: 'sign-in', wallet: 0, as: 's3' }, [2, 5], { status: 200 }),
  ]
  const ends = statesOf(findOrder(SIGNED_IN, turn, explainDone)).map(({ sessions }) =>
    [sessions.s2?.status, sessions.s3?.status].join(' '),
  )
  expect([...new Set(ends)].sort()).toEqual(['active active', 'active ended', 'ended active', 'ended ended'])
})

test('renewals of a socket take effect in the order of their frames, and do not multiply', () => {
  const sessions = Array.from({ length: WIDTH }, (_, place) => `s${place + 1}`)
  const earlier = [
    ...sessions.map((label, at) => signIn(label, 0, at - 40)),
    done({ do: 'connect', by: 's1', as: 'c1' }, [0, 1], { status: 200, isSynchronized: true }),
  ]
  const start = statesOf(findOrder([EMPTY], earlier, explainDone))
  const turn = sessions.map((by, place) =>
    done({ do: 'renew', socket: 'c1', by }, [2 + place, 2 + place + WIDTH], {
      status: 200,
      isSynchronized: true,
      frame: WIDTH - place,
    }),
  )
  expect(countExplained(start, turn)).toBeLessThanOrEqual(WIDTH * WIDTH)
  expect(statesOf(findOrder(start, turn, explainDone)).map(({ sockets }) => sockets.c1?.ticket)).toEqual([
    { afterMs: 2, beforeMs: 2 + WIDTH },
  ])
})

test('a renewal without a response may take effect after a later one', () => {
  const history = [
    signIn('s1', 0, -20),
    signIn('s2', 1, -10),
    done({ do: 'connect', by: 's1', as: 'c1' }, [0, 1], { status: 200, isSynchronized: true }),
  ]
  const start = statesOf(findOrder([EMPTY], history, explainDone))
  const renewed = (by: string, [callAt, frame]: [number, number]) =>
    done({ do: 'renew', socket: 'c1', by }, [callAt, callAt + 2], {
      status: 200,
      isSynchronized: false,
      closeCode: 4403,
      frame,
    })
  // The exchange rejects the other wallet's ticket first.
  expect(findOrder(start, [renewed('s1', [2, 3]), renewed('s2', [3, 5])], explainDone)).toHaveProperty(
    'states',
  )
  expect(findOrder(start, [renewed('s1', [2, 3])], explainDone)).toMatchObject({
    violation: { rule: 'ws.ticket.renewal' },
  })
})

/** A tiny model: each command adds to a register and returns its value, so each order has other responses. */
type Register = { sum: number }
const asState = (register: Register) => register as unknown as State // as: the search treats states as opaque data
const addition = (amount: number, returned: number, [callAt, returnAt]: [number, number]): Done => ({
  ...done({ do: 'hear', socket: 'c1' }, [callAt, returnAt], { status: returned }),
  callMs: amount,
})
const explainAddition = (state: State, { callMs, outcome }: Done) => {
  const { sum, sessions } = state as unknown as Register & State // as: see above
  const next = sum + callMs
  return outcome.status === next
    ? [asState({ ...state, sessions, sum: next } as Register)]
    : { rule: 'sum', expected: String(next), observed: String(outcome.status) }
}
const START = asState({ ...EMPTY, sum: 0 } as Register)

test('explains each turn that could have happened, and no altered response', () => {
  const steps = fc.array(
    fc.record({ amount: fc.integer({ min: 1, max: 9 }), early: fc.nat(4), late: fc.nat(4) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  fc.assert(
    fc.property(steps, fc.nat(), fc.nat(), (given, altered, rotate) => {
      let sum = 0
      // Command n took effect at 10 n, and was under way around that.
      const turn = given.map(({ amount, early, late }, place) => {
        sum += amount
        const at = 10 * place
        return addition(amount, sum, [at - 6 * early - 1, at + 6 * late + 1])
      })
      const shuffled = turn.map((_, place) => turn[(place + rotate) % turn.length] as Done) // as: within the list
      expect(findOrder([START], shuffled, explainAddition)).toEqual({
        states: [{ ...EMPTY, sum }],
      })
      const wrong = altered % turn.length
      const other = turn.map((each, place) =>
        // More than the sum of all.
        place === wrong ? { ...each, outcome: { status: sum + 1 } } : each,
      )
      expect(findOrder([START], other, explainAddition)).toMatchObject({ violation: { rule: 'sum' } })
    }),
  )
})

test('real time: a command never takes effect before one that returned before its call', () => {
  const inverted = [addition(1, 3, [1, 2]), addition(2, 2, [3, 4])]
  expect(findOrder([START], inverted, explainAddition)).toMatchObject({
    violation: { rule: 'sum' },
    after: 0,
  })
  const concurrent = [addition(1, 3, [1, 4]), addition(2, 2, [3, 5])]
  expect(findOrder([START], concurrent, explainAddition)).toEqual({ states: [{ ...EMPTY, sum: 3 }] })
})
