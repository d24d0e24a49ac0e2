/** Commands with their outcomes, for tests of the model. */
import { type Choices, choicesSchema } from '../../contract/profile.ts'
import type { Command } from '../sequence.ts'
import { explain } from './explain.ts'
import { type Done, EMPTY, isViolation, type Outcome, type SessionState, type State } from './state.ts'

const MINUTE_MS = 60_000
export const choices: Choices = choicesSchema.parse({})

const SESSION: SessionState = {
  wallet: 0,
  status: 'active',
  endedBy: null,
  endedAt: 0,
  current: 0,
  generations: [{ grantedMs: 0, replacedMs: null, replacedFromMs: null }],
  spared: null,
}

/** s1 is a session of wallet 1, t1 its API token, s2 has ended; s9 and t9 are the administrator's. */
export const SIGNED_IN: State = {
  ...EMPTY,
  sessions: {
    s1: SESSION,
    s2: { ...SESSION, status: 'ended', endedBy: 'log-out' },
    s9: { ...SESSION, wallet: 4 },
  },
  tokens: {
    t1: { wallet: 0, status: 'active', endedAt: 0 },
    t9: { wallet: 4, status: 'active', endedAt: 0 },
  },
}

export function done(command: Command, outcome: Outcome, minute = 1): Done {
  const ms = minute * MINUTE_MS
  return { command, outcome, callAt: 1, returnAt: 2, callMs: ms, returnMs: ms, isAlone: true }
}

/** Returns the violated rule, or 'allowed'. */
export function judge(
  command: Command,
  outcome: Outcome,
  { state = SIGNED_IN, minute }: { state?: State; minute?: number } = {},
): string {
  const profiled = { graceMs: 10_000, tokensMax: null, choices }
  const explained = explain(state, done(command, outcome, minute), profiled)
  return isViolation(explained) ? explained.rule : 'allowed'
}
