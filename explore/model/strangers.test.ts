import { expect, test } from 'vitest'
import { ruleById } from '../../contract/rules.ts'
import type { CommandOf } from '../sequence.ts'
import { type Done, EMPTY, isViolation, type Outcome, put, type SessionState, type State } from './state.ts'
import {
  ENDPOINT_NAMES,
  explainAsk,
  explainForge,
  FORGERIES,
  FORGERY_NAMES,
  listRejected,
} from './strangers.ts'

function done<Kind extends 'ask' | 'forge'>(
  command: CommandOf<Kind>,
  outcome: Outcome,
): Done<CommandOf<Kind>> {
  return { command, outcome, callAt: 1, returnAt: 2, callMs: 0, returnMs: 1, isAlone: true }
}

/** The rule that a response breaks. */
function judge(command: CommandOf<'ask'> | CommandOf<'forge'>, outcome: Outcome): string | null {
  const explained =
    command.do === 'ask'
      ? explainAsk(EMPTY, done(command, outcome))
      : explainForge(EMPTY, done(command, outcome))
  return isViolation(explained) ? explained.rule : null
}

const ASKS = ENDPOINT_NAMES.flatMap((endpoint) =>
  listRejected(endpoint).map(([stranger, rule]) => ({
    ...{ command: { do: 'ask', with: stranger, for: endpoint } as const, rule },
  })),
)

test.each(ASKS)('$command.for with $command.with: $rule', ({ command, rule }) => {
  expect(ruleById(rule)?.kind).toBe('server')
  const names401 = rule.endsWith('-401') || rule === 'ws.ticket.needs-credentials'
  expect(judge(command, { status: 200 })).toBe(rule)
  expect(judge(command, { status: 401 })).toBeNull()
  expect(judge(command, { status: 403 })).toBe(names401 ? rule : null)
})

test.each([0, 302, 404, 429, 500, 503])('a %i says nothing about the credential', (status) => {
  for (const { command } of ASKS) expect(judge(command, { status })).toBeNull()
})

test('a rejected refresh sets no cookies of a session', () => {
  const command = { do: 'ask', with: 'nothing', for: 'POST /auth/refresh' } as const
  expect(judge(command, { status: 401, isInside: true })).toBe('auth.refresh.needs-cookie')
})

test('an altered refresh token may end the session that it is of', () => {
  const session: SessionState = {
    ...{ wallet: 0, status: 'active', endedBy: null, endedAt: 0, current: 0, generations: [], spared: null },
  }
  const state: State = put(EMPTY, 'sessions', 's1', session)
  const ask = { do: 'ask', with: 'altered-end', by: 's1' } as const
  const unsure = put(EMPTY, 'sessions', 's1', { ...session, status: 'unsure' })
  expect(explainAsk(state, done({ ...ask, for: 'POST /auth/refresh' }, { status: 401 }))).toEqual([unsure])
  expect(explainAsk(state, done({ ...ask, for: 'GET /swaps' }, { status: 401 }))).toEqual([state])
})

test.each(FORGERY_NAMES)('a forgery is rejected: %s', (how) => {
  const { rule } = FORGERIES[how]
  expect(ruleById(rule)?.kind).toBe('server')
  const command = { do: 'forge', wallet: 0, how } as const
  expect(judge(command, { status: 200 })).toBe(rule)
  expect(judge(command, { status: 401, isInside: true })).toBe(rule)
  for (const status of [0, 400, 401, 403, 429, 500]) expect(judge(command, { status })).toBeNull()
})
