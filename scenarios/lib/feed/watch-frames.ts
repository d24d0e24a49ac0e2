import { findInexact } from '../../../contract/exact-fields.ts'
import type { Choices } from '../../../contract/profile.ts'
import { findEventPath, listChangeProblems } from '../../../contract/room-events.ts'
import type { ClientFrame } from '../../../contract/schemas/wire.ts'
import { pick, pickText } from '../pick.ts'
import { check } from '../verdict/check.ts'
import { isForeign, isRoomEvent, readField, readSubject } from './events.ts'

type Message = { control?: string; type?: string; json: unknown; data?: unknown; text: string }

type FeedProblem = { rule: string; problem: string }

type SocketWatch = { sent(frame: ClientFrame): void; came(message: Message): FeedProblem[] }

/**
 * Checks everything that any socket receives: events of rooms that it never joined, malformed events, and repeated events.
 * The specification leaves frames of other types open: they may be about an error, or confirm a subscription.
 */
export function watchSocket(
  choices: Pick<Choices, 'events' | 'eventTime'>,
  { doubles = new Map(), nowMs = Date.now }: { doubles?: Doubles; nowMs?: () => number } = {},
): SocketWatch {
  const { events } = choices
  /** Never shrinks: an event sent before the room was left may still arrive. */
  const joined = new Set<string>()
  const unique = new Set<string>()
  const isDoubled = createDoubleWatch(choices, doubles, nowMs)
  let isResynced = false

  const comesAgain = (message: Message) => {
    const isSentTwice = isDoubled(message)
    if (!isUnique(message, events)) return isSentTwice && !isResynced
    const isAgain = unique.has(message.text)
    unique.add(message.text)
    return (isAgain || isSentTwice) && !isResynced
  }
  return {
    sent(frame) {
      if (frame.action === 'subscribe') joined.add(frame.room)
    },
    came(message) {
      if (message.control === 'resync_required') isResynced = true
      if (message.control !== undefined || !isRoomEvent(message)) return []
      const problems = [
        ...check('event', message.json).map((problem) => ({ rule: 'ws.event.shape', problem })),
        ...findInexact(message.data).map((problem) => ({ rule: 'ws.event.exact-values', problem })),
      ]
      if (message.type === 'ProtocolConfigChanged')
        problems.push(
          ...listConfigProblems(message.json, events).map((problem) => ({
            rule: 'ws.event.config',
            problem,
          })),
        )
      if (isForeign([...joined], message, events))
        problems.push({ rule: 'ws.rooms.only-subscribed', problem: 'an event of a room that was not joined' })
      if (comesAgain(message))
        problems.push({ rule: 'ws.delivery.at-most-once', problem: 'a repeated event' })
      return problems
    },
  }
}

/** Problems of the fields that the specification names. Without a path, the changes are not judged. */
export function listConfigProblems(event: unknown, { changes: path }: Choices['events']): string[] {
  const problems = check('configChanged', event)
  return path === null ? problems : [...problems, ...listChangeProblems(pick(event, path), path)]
}

/**
 * A trade with an id and a pool, or a change with its revision: the same text twice is the same event. Equal events of
 * other types may be two events.
 */
function isUnique(message: Message, events: Choices['events']): boolean {
  const { type } = message
  if (type === 'ProtocolConfigChanged') return pickText(message.json, 'data.revision') !== undefined
  const names = [readField(message, events.id), readField(message, events.pool)]
  return type === 'Trade' && !names.includes(undefined)
}

/** Two copies of one event come at once. */
const COPIES_MS = 100
/** By chance, two events may look like copies. */
const DOUBLED_MIN = 3

type Room = {
  ids: Set<string>
  /** Ids of events that came twice. */
  doubled: Set<string>
  /** An id came again with another text, or later: it names a pool or a token, not an event. */
  isNotOfEvents: boolean
}

/** By type, and by pool or address. */
export type Doubles = Map<string, Map<string, Room>>

/**
 * Returns a function that is true for the second of two equal events, once three events of the type came twice, and no fewer than
 * came once. The ids have to be those of events: they differ within the room, and none is used again. Trades may differ in the
 * time at which they were sent. `doubles`: what all sockets got.
 */
function createDoubleWatch(
  { events, eventTime }: Pick<Choices, 'events' | 'eventTime'>,
  doubles: Doubles,
  nowMs: () => number,
): (message: Message) => boolean {
  const seen = new Map<string, { text: string; atMs: number }>()
  return (message) => {
    const { type = '' } = message
    const id = readField(message, events.id)
    if (id === undefined) return false
    const subject = type === 'PoolLaunch' ? '' : (readSubject(message, events) ?? '')
    const rooms: Map<string, Room> = doubles.get(type) ?? new Map()
    doubles.set(type, rooms)
    const room: Room = rooms.get(subject) ?? { ids: new Set(), doubled: new Set(), isNotOfEvents: false }
    rooms.set(subject, room)
    room.ids.add(id)
    const text = type === 'Trade' ? withoutTime(message, eventTime) : message.text
    const name = `${type} ${subject} ${id}`
    const before = seen.get(name)
    if (before === undefined) {
      seen.set(name, { text, atMs: nowMs() })
      return false
    }
    if (before.text !== text || nowMs() - before.atMs > COPIES_MS) room.isNotOfEvents = true
    if (room.isNotOfEvents) return false
    room.doubled.add(id)
    const counted = [...rooms.values()].filter(({ ids, isNotOfEvents }) => ids.size > 1 && !isNotOfEvents)
    const sum = (set: 'ids' | 'doubled') => counted.reduce((total, one) => total + one[set].size, 0)
    return sum('doubled') >= DOUBLED_MIN && 2 * sum('doubled') >= sum('ids')
  }
}

function withoutTime({ type, json, text }: Message, { path: paths }: Choices['eventTime']): string {
  const time = findEventPath(paths, type)?.split('.').at(-1)
  if (time === undefined) return text
  return JSON.stringify(json, (name, value) => (name === time ? undefined : value))
}
