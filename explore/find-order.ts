/**
 * Explains the commands of a turn by some order of the model: each takes effect at one moment between its call and its return.
 * Searches all orders, with memory of what was tried. Commands that change nothing come first, and those that share nothing with
 * the others are ordered apart, because neither excludes an order.
 */

import { type Done, type Explained, isViolation, type State, type Violation } from './model/state.ts'
import { createdLabel, usedLabels } from './sequence.ts'

export type Order =
  | { states: readonly State[] }
  /** `after`: how many commands could be explained before. */
  | { violation: Violation; done: Done; after: number }
  /** Too many orders to search. */
  | { states: null }

const NODES_MAX = 50_000
/** States that no response tells apart multiply. */
const STATES_MAX = 64

export function findOrder(
  states: readonly State[],
  turn: readonly Done[],
  explain: (state: State, done: Done) => Explained,
): Order {
  const ends = new Map<string, State>()
  const seen = new Set<string>()
  let nodes = 0
  let worst: { violation: Violation; done: Done; after: number } | undefined

  const search = (state: State, left: readonly Done[]): void => {
    if (left.length === 0) {
      ends.set(JSON.stringify(state), state)
      return
    }
    const key = `${left.map(({ callAt }) => callAt)} ${JSON.stringify(state)}`
    if (seen.has(key) || ++nodes > NODES_MAX) return
    seen.add(key)
    const together = findDependent(left, state)
    const firstReturn = Math.min(...together.map(({ returnAt }) => returnAt))
    const changes: { done: Done; states: readonly State[] }[] = []
    for (const done of together) {
      if (done.callAt > firstReturn) continue
      const explained = explain(state, done)
      if (isViolation(explained)) {
        const after = turn.length - left.length
        if (!worst || after > worst.after) worst = { violation: explained, done, after }
      } else if (explained.length === 1 && explained[0] === state) {
        search(state, without(left, done))
        return
      } else changes.push({ done, states: explained })
    }
    for (const { done, states } of changes) for (const next of states) search(next, without(left, done))
  }

  for (const state of states) search(state, turn)
  if (nodes > NODES_MAX || ends.size > STATES_MAX) return { states: null }
  if (ends.size > 0) return { states: [...ends.values()] }
  return worst ?? { states: null }
}

function without(left: readonly Done[], done: Done): readonly Done[] {
  return left.filter((each) => each !== done)
}

/** The first command, and all that depend on it through what they use, directly or not. */
function findDependent(left: readonly Done[], state: State): readonly Done[] {
  const touched = left.map((done) => ({ done, keys: listTouched(done, state) }))
  const [first, ...others] = touched
  if (!first) return []
  const group = [first.done]
  const keys = new Set(first.keys)
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const each of others) {
      if (group.includes(each.done) || !each.keys.some((key) => keys.has(key))) continue
      group.push(each.done)
      for (const key of each.keys) keys.add(key)
      isGrowing = true
    }
  }
  return left.filter((done) => group.includes(done))
}

/** Labels that a command reads or changes, with the credential behind a ticket or a socket; some concern a whole wallet. */
function listTouched({ command }: Done, state: State): string[] {
  const { sessions, tokens, tickets, sockets } = state
  const labels = usedLabels(command).flatMap((label) => {
    const behind = tickets[label]?.by ?? sockets[label]?.by
    return behind === undefined ? [label] : [label, behind]
  })
  const created = createdLabel(command)
  if (created !== undefined) labels.push(created)
  if (command.do === 'sign-in') return [...labels, `wallet ${command.wallet}`]
  const wallet = 'session' in command ? sessions[command.session]?.wallet : undefined
  if (command.do === 'create-token' || command.do === 'revoke-token')
    return [...labels, `tokens of ${wallet}`]
  if (command.do !== 'log-out-all') return labels
  const all = Object.entries({ ...sessions, ...tokens, ...tickets, ...sockets })
  const own = all.flatMap(([label, each]) => (each.wallet === wallet ? [label] : []))
  return [...labels, ...own, `wallet ${wallet}`]
}
