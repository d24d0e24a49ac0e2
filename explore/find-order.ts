/**
 * Explains the commands of a turn by some order of the model: each takes effect at one moment between its call and its return.
 * Searches all orders, with memory of what was tried; commands that change nothing come first, because that excludes no order.
 */
import { type Done, type Explained, isViolation, type State, type Violation } from './model/state.ts'

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
    const firstReturn = Math.min(...left.map(({ returnAt }) => returnAt))
    const changes: { done: Done; states: readonly State[] }[] = []
    for (const done of left) {
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
