/** Short histories for tests of the model: commands one after the other, a second apart. */
import { choicesSchema } from '../../contract/profile.ts'
import type { Command } from '../sequence.ts'
import { explain } from './explain.ts'
import { type Done, EMPTY, isViolation, type Outcome, type Profiled, type State } from './state.ts'

const SECOND_MS = 1000

export type Happened = {
  command: Command
  outcome: Outcome
  /** When it was sent, in seconds (default: a second after the last). */
  atSeconds?: number
  /** How long it took, in seconds. */
  tookSeconds?: number
  isAlone?: boolean
}

/** Explains a history. Returns its states, or the violated rule. */
export function explainAll(
  history: readonly Happened[],
  given: Partial<Profiled> = {},
): readonly State[] | string {
  const profiled: Profiled = { graceMs: 10_000, tokensMax: null, choices: choicesSchema.parse({}), ...given }
  let states: readonly State[] = [EMPTY]
  let nowMs = 0
  for (const [place, { command, outcome, atSeconds, tookSeconds = 0, isAlone = true }] of history.entries()) {
    const callMs = atSeconds === undefined ? nowMs + SECOND_MS : atSeconds * SECOND_MS
    nowMs = callMs + tookSeconds * SECOND_MS
    const done: Done = {
      command,
      outcome,
      isAlone,
      callMs,
      returnMs: nowMs,
      callAt: 2 * place,
      returnAt: 2 * place + 1,
    }
    const all = states.map((state) => explain(state, done, profiled))
    const [first] = all
    states = all.flatMap((explained) => (isViolation(explained) ? [] : explained))
    if (states.length === 0) return first && isViolation(first) ? first.rule : 'no state'
  }
  return states
}

/** `s1` and `s2` of one wallet, `s3` of another. */
export const SIGNED_IN: readonly Happened[] = [0, 0, 1].map((wallet, place) => ({
  command: { do: 'sign-in', wallet, as: `s${place + 1}` },
  outcome: { status: 200 },
  atSeconds: 0,
}))

/** A command of session `s1` with its first cookies, and its status. */
export function happened(
  command: Command,
  status: number,
  more: Omit<Partial<Happened>, 'command'> = {},
): Happened {
  return { command, ...more, outcome: { status, used: 0, ...more.outcome } }
}
