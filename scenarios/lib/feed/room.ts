import type { Choices } from '../../../contract/profile.ts'
import { pickText } from '../pick.ts'

type Message = { type?: string; json: unknown }

const TYPE_OF_PREFIX: Record<string, string> = {
  pool_launches: 'PoolLaunch',
  pool_stats: 'PoolStats',
  ohlcv: 'Ohlcv',
  trades: 'Trade',
  balances: 'BalanceChange',
  protocol_config: 'ProtocolConfigChanged',
}

/** What a probe that tells events of pool rooms apart has to be told. */
export const EVENT_POOL = 'where an event names its pool'

const TYPES = new Set(Object.values(TYPE_OF_PREFIX))

/** Whether a message is an event of a type that rooms send. Others say nothing about rooms. */
export function isRoomEvent({ type }: Pick<Message, 'type'>): boolean {
  return type !== undefined && TYPES.has(type)
}

/** Whether an event is one that `room` sends, as far as its type and the fields that the profile names tell. */
export function isOfRoom(room: string, message: Message, events: Choices['events']): boolean {
  const { prefix, subject } = parse(room)
  if (message.type === undefined || message.type !== TYPE_OF_PREFIX[prefix]) return false
  return subject === undefined || subject === subjectOf(message, events)
}

/**
 * Whether an event is one that none of the rooms sends, beyond doubt: where it does not name its subject, it may be of any
 * room of its type.
 */
export function isForeign(rooms: readonly string[], message: Message, events: Choices['events']): boolean {
  if (!isRoomEvent(message)) return false
  const ofType = rooms.filter((room) => message.type === TYPE_OF_PREFIX[parse(room).prefix])
  if (ofType.length === 0) return true
  return subjectOf(message, events) !== undefined && !ofType.some((room) => isOfRoom(room, message, events))
}

function parse(room: string): { prefix: string; subject: string | undefined } {
  const separator = room.indexOf(':')
  if (separator === -1) return { prefix: room, subject: undefined }
  return { prefix: room.slice(0, separator), subject: room.slice(separator + 1) }
}

function subjectOf({ type, json }: Message, events: Choices['events']): string | undefined {
  return pickText(json, type === TYPE_OF_PREFIX.balances ? events.address : events.pool)
}
