import type { Choices } from '../../../contract/profile.ts'
import { type EventPath, findEventPath, normalizeRoom } from '../../../contract/room-events.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientFrame } from '../../../contract/schemas/wire.ts'
import { pickText } from '../pick.ts'
import { redactor } from '../redact.ts'
import { hasControl } from '../time/has-control.ts'
import type { Feed, FeedMessage } from './feed.ts'

type Message = { type?: string; json: unknown }

const TYPE_OF_PREFIX: Record<string, string> = {
  pool_launches: 'PoolLaunch',
  pool_stats: 'PoolStats',
  ohlcv: 'Ohlcv',
  trades: 'Trade',
  balances: 'BalanceChange',
  protocol_config: 'ProtocolConfigChanged',
}

export const EVENT_POOL = 'the path of the pool in events'

const TYPES = new Set(Object.values(TYPE_OF_PREFIX))
/** Types of the rooms of one pool or address. */
const SUBJECT_TYPES = new Set(['PoolStats', 'Ohlcv', 'Trade', 'BalanceChange'])

export function isRoomEvent({ type }: Pick<Message, 'type'>): boolean {
  return type !== undefined && TYPES.has(type)
}

/** Matches by type and by the fields that the profile names. */
export function isInRoom(room: string, message: Message, events: Choices['events']): boolean {
  const { prefix, subject } = parse(room)
  if (message.type === undefined || message.type !== TYPE_OF_PREFIX[prefix]) return false
  if (subject === undefined) return true
  const found = readSubject(message, events)
  return found !== undefined && normalizeRoom(`${prefix}:${found}`) === normalizeRoom(room)
}

/**
 * True only if none of the rooms can have sent the event. An event without a subject may belong to any room
 * of its type.
 */
export function isForeign(rooms: readonly string[], message: Message, events: Choices['events']): boolean {
  if (!isRoomEvent(message)) return false
  const ofType = rooms.filter((room) => message.type === TYPE_OF_PREFIX[parse(room).prefix])
  if (ofType.length === 0) return true
  return readSubject(message, events) !== undefined && !ofType.some((room) => isInRoom(room, message, events))
}

function parse(room: string): { prefix: string; subject: string | undefined } {
  const separator = room.indexOf(':')
  if (separator === -1) return { prefix: room, subject: undefined }
  return { prefix: room.slice(0, separator), subject: room.slice(separator + 1) }
}

/** Returns a text or integer at a path of the profile. */
export function readField({ type, json }: Message, paths: EventPath): string | undefined {
  return pickText(json, findEventPath(paths, type))
}

export function readSubject(message: Message, events: Choices['events']): string | undefined {
  return pickText(message.json, subjectPath(message, events))
}

function subjectPath({ type }: Message, events: Choices['events']): string | null {
  return findEventPath(type === TYPE_OF_PREFIX.balances ? events.address : events.pool, type)
}

/** True if the event is about a pool or an address, at the path in the profile. */
export function hasSubject(message: Message, events: Choices['events']): boolean {
  return readSubject(message, events) !== undefined
}

/** Explains why events cannot be assigned to rooms: none of some type has its key at the path in the profile. */
export function whyUnassigned(target: Target, feeds: readonly Pick<Feed, 'received'>[]): string | undefined {
  const { events } = target.profile.choices
  const came = feeds.flatMap(({ received }) => received.filter(({ type = '' }) => SUBJECT_TYPES.has(type)))
  const assigned = new Set(came.filter((message) => hasSubject(message, events)).map(({ type }) => type))
  const first = came.find(({ type }) => !assigned.has(type))
  if (first === undefined) return undefined
  const path = subjectPath(first, events)
  const missing = path === null ? 'the profile does not state the path of the key' : `no key at ${path}`
  return `${missing}: ${redactor.redactBody(first.text, 400)}`
}

type TextMessage = { type?: string; json: unknown; text: string }

/**
 * Messages that repeat an earlier one with the same text and id. Without an id, two equal messages may be two
 * events, so those are left out.
 */
export function repeats<Kind extends TextMessage>(messages: readonly Kind[], idPath: EventPath): Kind[] {
  const seen = new Set<string>()
  return messages.filter((message) => {
    if (readField(message, idPath) === undefined) return false
    if (seen.has(message.text)) return true
    seen.add(message.text)
    return false
  })
}

export function listEvents(target: Target, feed: Feed, rooms: readonly string[]): FeedMessage[] {
  const { events } = target.profile.choices
  return feed.received.filter((message) => rooms.some((room) => isInRoom(room, message, events)))
}

/** Counts the events of a room from this call on. */
export function countFromNow(target: Target, feed: Feed, rooms: readonly string[]): (room: string) => number {
  const { events } = target.profile.choices
  const counts = new Map(rooms.map((room) => [room, 0]))
  let read = feed.received.length
  return (room) => {
    for (const message of feed.received.slice(read)) {
      for (const one of rooms) if (isInRoom(one, message, events)) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    read = feed.received.length
    return counts.get(room) ?? 0
  }
}

/** Longer than an event takes from one node of a gateway to another. */
const STRAGGLERS_MS = 1000
const SETTLED_MS = 3000

export async function awaitStragglers(feeds: readonly Feed[]): Promise<void> {
  await Promise.all(feeds.map((feed) => feed.until(() => false, STRAGGLERS_MS)))
}

/**
 * Waits until everything sent to these sockets has arrived, also by a node that is behind, unless the clock moves with each block:
 * tickets would end in that time. Call it after you start to count for a judged socket and before you start for its witness, which
 * then counts nothing that the other had got before.
 */
export async function settle(target: Target, feeds: readonly Feed[]): Promise<void> {
  if (!hasControl(target)) await awaitStragglers(feeds)
  await Promise.all(feeds.map((feed) => feed.settled(SETTLED_MS)))
}

/** Returns why silence proves nothing: the socket is closed, is behind, or got `resync_required`, after its first `from` messages. */
export function whySilent(feed: Feed, from = 0): string | undefined {
  const closed = feed.closed()
  if (closed) return `the socket was closed with ${closed.code}`
  if (!feed.hasResponded()) return 'the socket did not respond to a ping'
  const missed = feed.received.slice(from).some(({ control }) => control === 'resync_required')
  return missed ? 'the socket got resync_required' : undefined
}

/** Delivery is at most once, so a room counts as silent only after several events. */
export const EVENTS_MISSED_MIN = 3

/** Sockets in one room. Each of them should get every event. */
type Subscribers = {
  /** Every socket got an event, or one socket got enough to show that another gets none. */
  isSettled(): boolean
  /** Describes a socket that gets nothing while another gets several events; or returns undefined. */
  whoIsLeftOut(): string | undefined
}

/** Counts from this call on: an event from before all had joined is due to none of them. */
export function countSubscribers(feeds: readonly Feed[], type: string): Subscribers {
  const joined = feeds.map((feed) => ({ feed, from: feed.received.length }))
  const counts = () =>
    joined.map(
      ({ feed, from }) => feed.received.slice(from).filter((message) => message.type === type).length,
    )
  return {
    isSettled: () => counts().every((count) => count > 0) || Math.max(...counts()) >= EVENTS_MISSED_MIN,
    whoIsLeftOut() {
      const [most, left] = [Math.max(...counts()), counts().indexOf(0)]
      const feed = feeds[left]
      if (feed === undefined || most < EVENTS_MISSED_MIN || whySilent(feed) !== undefined) return undefined
      return `one of ${feeds.length} sockets in the room got none of ${most} events`
    },
  }
}

/** Observes every frame of every socket that this VU opens. Unset in load tests, for speed. */
export const socketObserver: {
  opened?: (target: Target) => {
    sent: (frame: ClientFrame) => void
    came: (message: FeedMessage) => void
  }
} = {}
