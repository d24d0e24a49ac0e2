/**
 * Explains the commands of a turn by some order of the model: each takes effect at one moment between its call and its return.
 * Searches all orders, and remembers those that it has tried. Commands that change nothing come first, and those that share nothing with
 * the others are ordered separately, because neither excludes an order. Equal commands with equal outcomes keep their order, and so do
 * those that differ only in what they create, if nothing of the turn ends what they create. Renewals that got a response take effect
 * in the order of their frames.
 */

import { type Done, type Explained, isViolation, type State, type Violation } from './model/state.ts'
import { type CommandKind, createdLabel, usedLabels } from './sequence.ts'

export type Order =
  | { states: readonly State[] }
  /** `after`: how many commands could be explained before. */
  | { violation: Violation; done: Done; after: number }
  /** Too many orders to search. */
  | { states: null }

const NODES_MAX = 50_000
/** Limit for states that no response distinguishes: their number multiplies. */
const STATES_MAX = 64

export function findOrder(
  states: readonly State[],
  turn: readonly Done[],
  explain: (state: State, done: Done) => Explained,
): Order {
  const ends = new Map<string, State>()
  const seen = new Set<string>()
  const kinds = listKinds(turn)
  let nodes = 0
  let worst: { violation: Violation; done: Done; after: number } | undefined

  const isTwinBefore = (other: Done, done: Done): boolean =>
    other.callAt < done.callAt && other.returnAt < done.returnAt && kinds.get(other) === kinds.get(done)
  const isBefore = (other: Done, done: Done): boolean =>
    isFrameBefore(other, done) || isTwinBefore(other, done)
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
      if (done.callAt > firstReturn || together.some((other) => isBefore(other, done))) continue
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

/** Ends of sessions may end what one of two equal commands has created and not what the other has. */
const ENDS: readonly CommandKind[] = ['log-out', 'log-out-all', 'revoke-session', 'refresh', 'ask']

/** Commands and outcomes as text, without the names of what they create if these make no difference. */
function listKinds(turn: readonly Done[]): Map<Done, string> {
  const isNameless = turn.every(({ command }) => !ENDS.includes(command.do))
  return new Map(
    turn.map((done) => {
      const { command, outcome } = done
      return [done, JSON.stringify([isNameless ? { ...command, as: undefined } : command, outcome])]
    }),
  )
}

/** Without a response it is not known when a frame took effect. */
function isFrameBefore(
  { command: other, outcome: { frame: first, isSynchronized } }: Done,
  done: Done,
): boolean {
  const { command, outcome } = done
  const isSame = 'socket' in other && 'socket' in command && other.socket === command.socket
  return (
    isSame &&
    isSynchronized === true &&
    first !== undefined &&
    outcome.frame !== undefined &&
    first < outcome.frame
  )
}

function without(left: readonly Done[], done: Done): readonly Done[] {
  return left.filter((each) => each !== done)
}

type Touched = { done: Done; reads: readonly string[]; writes: readonly string[] }

/** The first command, and all that depend on it, directly or not: one of two writes what the other reads or writes. */
function findDependent(left: readonly Done[], state: State): readonly Done[] {
  const [first, ...others] = left.map((done) => listTouched(done, state))
  if (!first) return []
  const group = [first]
  // The group grows while it is iterated.
  for (const member of group)
    for (const other of others)
      if (!group.includes(other) && (meets(member, other) || meets(other, member))) group.push(other)
  const members = new Set(group.map(({ done }) => done))
  return left.filter((done) => members.has(done))
}

function meets({ writes }: Touched, { reads, writes: others }: Touched): boolean {
  return writes.some((label) => reads.includes(label) || others.includes(label))
}

const CHANGES_SESSION: readonly CommandKind[] = ['refresh', 'log-out', 'log-out-all']

/** Labels, with the credential behind a ticket or a socket. Some commands concern a whole wallet. */
function listTouched(done: Done, state: State): Touched {
  const { command } = done
  const { sessions, tokens, tickets, sockets } = state
  const reads = usedLabels(command).flatMap((label) => {
    const behind = tickets[label]?.by
    return [label, ...(behind === undefined ? [] : [behind]), ...(sockets[label]?.by ?? [])]
  })
  const created = createdLabel(command)
  const writes = created === undefined ? [] : [created]
  const wallet = 'session' in command ? sessions[command.session]?.wallet : undefined
  if ('socket' in command) writes.push(command.socket)
  if (command.do === 'claim') writes.push(`claims of ${command.wallet}`)
  if (command.do === 'redeem') writes.push(command.ticket)
  if (command.do === 'revoke-session') writes.push(command.of)
  if (command.do === 'revoke-token') writes.push(command.token, `tokens of ${wallet}`)
  if (command.do === 'create-token') writes.push(`tokens of ${wallet}`)
  if (command.do === 'sign-in') reads.push(`wallet ${command.wallet}`)
  // An altered refresh token may be taken for theft.
  if (command.do === 'ask' && command.for === 'POST /auth/refresh' && command.by !== undefined)
    writes.push(command.by)
  if (CHANGES_SESSION.includes(command.do) && 'session' in command) writes.push(command.session)
  if (command.do === 'log-out-all') {
    const all = Object.entries({ ...sessions, ...tokens, ...tickets, ...sockets })
    writes.push(
      `wallet ${wallet}`,
      ...all.flatMap(([label, each]) => (each.wallet === wallet ? [label] : [])),
    )
  }
  return { done, reads, writes }
}
