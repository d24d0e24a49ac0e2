import type { Operation } from '../contract/history.ts'
import { ROOM_EVENTS } from '../contract/room-events.ts'
import type { Contradiction } from './check-history.ts'
import type { History } from './read-log.ts'

const FEED_RULES = {
  once: 'history.feed.at-most-once',
  joined: 'history.feed.joined-rooms',
  own: 'history.feed.own-balance',
} as const

export const EVENT_TYPES = Object.values(ROOM_EVENTS)
const BALANCE = EVENT_TYPES.indexOf('BalanceChange')
/** Events on their way when a room is left may still arrive. */
const STRAGGLERS_US = 1e6

/** The first contradiction of each rule. Operations are in order; an event of a room follows the frame that joined it. */
export function checkSocket({ key, operations }: History): Contradiction[] {
  const find = (rule: string, observed: string, shown: Operation[] | undefined): Contradiction[] =>
    shown === undefined ? [] : [{ rule, key, observed, operations: shown, reason: null }]
  return [
    ...find(FEED_RULES.once, 'received an event twice', findRepeated(operations)),
    ...find(
      FEED_RULES.joined,
      'received an event of a room that it has not joined, or has left',
      findForeign(operations),
    ),
    ...find(FEED_RULES.own, 'received a balance change of another wallet', findOthersBalance(operations)),
  ]
}

/** The rules that the socket could have shown to be broken. */
export function listSocketExercised({ operations }: History): string[] {
  const events = operations.filter(isEvent)
  return [
    ...(events.some(({ value }) => value !== null) ? [FEED_RULES.once] : []),
    ...(events.length > 0 ? [FEED_RULES.joined] : []),
    ...(mayShowOthers(operations) ? [FEED_RULES.own] : []),
  ]
}

function isEvent({ kind }: Operation): boolean {
  return kind === 'E'
}

function findRepeated(operations: readonly Operation[]): Operation[] | undefined {
  const first = new Map<string, Operation>()
  for (const event of operations) {
    if (!isEvent(event) || event.value === null) continue
    const name = `${event.status} ${event.value}`
    const before = first.get(name)
    if (before !== undefined) return [before, event]
    first.set(name, event)
  }
  return undefined
}

type Room = { join: Operation; leave: Operation | null }

function findForeign(operations: readonly Operation[]): Operation[] | undefined {
  const rooms = new Map<string, Room>()
  const synchronized = operations.filter(
    (operation) => operation.kind === 'Y' && operation.return !== Number.POSITIVE_INFINITY,
  )
  const findConfirmation = ({ leave }: Room, event: Operation) =>
    leave === null
      ? undefined
      : synchronized.find((each) => each.call >= leave.call && each.return + STRAGGLERS_US <= event.call)
  for (const operation of operations) {
    const { kind } = operation
    if (kind === 'J') rooms.set(nameRoom(operation), { join: operation, leave: null })
    if (kind === 'V') {
      const left = rooms.get(nameRoom(operation))
      if (left !== undefined) left.leave ??= operation
    }
    if (kind !== 'E') continue
    const possible = listPossible(rooms, operation)
    const confirmations = possible.map((room) => findConfirmation(room, operation))
    if (confirmations.includes(undefined)) continue
    const [room, confirmation] = [possible[0], confirmations[0]]
    return [room?.join, room?.leave, confirmation, operation].filter(
      (each) => each !== undefined && each !== null,
    )
  }
  return undefined
}

/** The rooms that may have sent the event: if it names no pool or address, all of its kind. */
function listPossible(rooms: ReadonlyMap<string, Room>, event: Operation): Room[] {
  if (event.argument === null) return [...rooms.values()].filter(({ join }) => join.status === event.status)
  const room = rooms.get(nameRoom(event))
  return room === undefined ? [] : [room]
}

function nameRoom({ status, argument }: Operation): string {
  return `${status} ${argument}`
}

/** Only an address whose room it subscribed to is known to be another one: events may spell their own differently. */
function findOthersBalance(operations: readonly Operation[]): Operation[] | undefined {
  for (const join of listOthersJoins(operations)) {
    const event = operations.find((operation) => isEvent(operation) && nameRoom(operation) === nameRoom(join))
    if (event !== undefined) return [join, event]
  }
  return undefined
}

/** It subscribed to the balance changes of another address, and was served after that. */
function mayShowOthers(operations: readonly Operation[]): boolean {
  return listOthersJoins(operations).some((join) =>
    operations.some(
      (operation) =>
        operation.kind === 'Y' &&
        operation.call >= join.call &&
        operation.return !== Number.POSITIVE_INFINITY,
    ),
  )
}

function listOthersJoins(operations: readonly Operation[]): Operation[] {
  const address = findAddress(operations)
  if (address === null) return []
  return operations.filter(
    ({ kind, status, argument }) =>
      kind === 'J' && status === BALANCE && argument !== null && argument !== address,
  )
}

function findAddress(operations: readonly Operation[]): number | null {
  return operations.find(({ kind }) => kind === 'A')?.argument ?? null
}
