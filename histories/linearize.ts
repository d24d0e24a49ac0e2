/** The search for an order of concurrent operations, and for the shortest part of a history without one. */
import type { Operation } from '../contract/history.ts'

/** The sequential behavior of one object: the states that an operation may lead to; none if it is impossible. */
export type Model = {
  initial: readonly number[]
  next: (state: number, operation: Operation) => readonly number[]
}

/** `unknown`: the history has too many orders to try. */
export type Linearized = 'yes' | 'no' | 'unknown'

const STEPS_MAX = 200_000
/** Operations that never returned are tried at every later moment. */
const OPEN_MAX = 20

/**
 * Decides if the operations of one object can be put in an order that the model allows, each at one moment between its
 * call and its return (Wing and Gong's search with Lowe's cache of tried configurations). Operations that never returned may
 * be left out. `operations` are sorted by call.
 */
export function linearize(
  model: Model,
  operations: readonly Operation[],
  { stepsMax = STEPS_MAX }: { stepsMax?: number } = {},
): Linearized {
  const returned = operations.filter((operation) => operation.return !== Number.POSITIVE_INFINITY)
  const open = operations.filter((operation) => operation.return === Number.POSITIVE_INFINITY)
  if (open.length > OPEN_MAX) return 'unknown'
  if (isSequential(returned, open)) return linearizeSequence(model, returned)
  const tried = new Set<string>()
  const stack: Position[] = model.initial.map((state) => ({ first: 0, ahead: [], open: 0, state }))
  for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
    if (position.first === returned.length) return 'yes'
    const name = `${position.first} ${position.ahead.join()} ${position.open} ${position.state}`
    if (tried.has(name)) continue
    if (tried.size >= stepsMax) return 'unknown'
    tried.add(name)
    stack.push(...listNext(model, { returned, open }, position))
  }
  return 'no'
}

/** The operations in order so far: all returned ones before `first`, those in `ahead`, and the bits of `open`. */
type Position = { first: number; ahead: readonly number[]; open: number; state: number }

type Split = { returned: readonly Operation[]; open: readonly Operation[] }

function listNext(model: Model, { returned, open }: Split, position: Position): Position[] {
  const next: Position[] = []
  const take = (operation: Operation, rest: Omit<Position, 'state'>) => {
    for (const state of model.next(position.state, operation)) next.push({ ...rest, state })
  }
  // An operation can come next if it was called before any other of the rest returned.
  let untilUs = Number.POSITIVE_INFINITY
  for (let index = position.first; index < returned.length; index++) {
    const operation = returned[index]
    if (operation === undefined || operation.call > untilUs) break
    if (position.ahead.includes(index)) continue
    untilUs = Math.min(untilUs, operation.return)
  }
  for (const [bit, operation] of open.entries()) {
    if (operation.call > untilUs || (position.open & (1 << bit)) !== 0) continue
    take(operation, { ...position, open: position.open | (1 << bit) })
  }
  for (let index = position.first; index < returned.length; index++) {
    const operation = returned[index]
    if (operation === undefined || operation.call > untilUs) break
    if (!position.ahead.includes(index)) take(operation, { ...position, ...advance(position, index) })
  }
  return next
}

function advance({ first, ahead }: Position, index: number): Pick<Position, 'first' | 'ahead'> {
  if (index !== first) return { first, ahead: [...ahead, index].sort((a, b) => a - b) }
  let to = first + 1
  while (ahead.includes(to)) to++
  return { first: to, ahead: ahead.filter((each) => each > to) }
}

/** Most histories have no concurrency: then there is one order. */
function isSequential(returned: readonly Operation[], open: readonly Operation[]): boolean {
  if (open.length > 0) return false
  for (let index = 1; index < returned.length; index++) {
    if ((returned[index]?.call ?? 0) <= (returned[index - 1]?.return ?? 0)) return false
  }
  return true
}

function linearizeSequence({ initial, next }: Model, operations: readonly Operation[]): Linearized {
  let states = initial
  for (const operation of operations) {
    const reached = states.length === 1 ? next(states[0] ?? 0, operation) : nextOfAll(states, operation, next)
    if (reached.length === 0) return 'no'
    states = reached
  }
  return 'yes'
}

function nextOfAll(states: readonly number[], operation: Operation, next: Model['next']): number[] {
  return [...new Set(states.flatMap((state) => next(state, operation)))]
}

type Shrinkable = {
  operations: readonly Operation[]
  model: Model
  /** The model for a part of the history, which may begin in any state that the operations before it can lead to. */
  modelPart: (part: readonly Operation[], before: readonly Operation[]) => Model
  /** True for an operation that has no effect. */
  isRead: (operation: Operation) => boolean
}

/**
 * Returns the shortest part that still has no order: the operations until the first contradiction, since the last moment
 * without operations under way that suffices, without the reads that are not needed.
 */
export function shrink({ operations, model, modelPart, isRead }: Shrinkable): Operation[] {
  const fails = (part: readonly Operation[], by: Model) => linearize(by, part) === 'no'
  const until = cutEnd(operations, { isRead, fails: (part) => fails(part, model) })
  const from = listCalmMoments(until).findLast((index) => {
    const part = until.slice(index)
    return fails(part, modelPart(part, until.slice(0, index)))
  })
  let kept = until.slice(from ?? 0)
  const chosen = from === undefined ? model : modelPart(kept, until.slice(0, from))
  for (const operation of kept.filter(isRead)) {
    const without = kept.filter((each) => each !== operation)
    if (fails(without, chosen)) kept = without
  }
  return kept
}

/** The operations until the return with which the history becomes impossible. Later returns are unknown at that moment. */
function cutEnd(
  operations: readonly Operation[],
  { isRead, fails }: { isRead: Shrinkable['isRead']; fails: (part: readonly Operation[]) => boolean },
): Operation[] {
  const returns = operations
    .map((operation) => operation.return)
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  const cutAt = (untilUs: number): Operation[] =>
    operations.flatMap((operation) => {
      if (operation.return <= untilUs) return [operation]
      if (operation.call > untilUs || isRead(operation)) return []
      return [{ ...operation, return: Number.POSITIVE_INFINITY }]
    })
  let [low, high] = [0, returns.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (fails(cutAt(returns[middle] ?? 0))) high = middle
    else low = middle + 1
  }
  return cutAt(returns[low] ?? 0)
}

/** Indexes of the operations before whose call all others have returned. */
function listCalmMoments(operations: readonly Operation[]): number[] {
  const moments: number[] = []
  let lastReturnUs = 0
  for (const [index, operation] of operations.entries()) {
    if (index > 0 && operation.call > lastReturnUs) moments.push(index)
    lastReturnUs = Math.max(lastReturnUs, operation.return)
  }
  return moments
}
