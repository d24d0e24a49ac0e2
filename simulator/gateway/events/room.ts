import { type EventType, ROOM_EVENTS } from '../../../contract/schemas/feed.ts'

export type Room = {
  eventType: EventType
  /** The pool key or the address; empty in the rooms that take neither. */
  subject: string
}

/** Reads a room's name; undefined where there is no such room. Whether its pool exists is not asked here. */
export function parseRoom(name: string): Room | undefined {
  const prefix = name.slice(0, name.indexOf(':') + 1)
  const kind = prefix || name
  if (!isRoomKind(kind)) return undefined
  const subject = prefix ? name.slice(prefix.length) : ''
  return prefix && !subject ? undefined : { eventType: ROOM_EVENTS[kind], subject }
}

/** The room that gets the events of this type about this subject. */
export function roomName(eventType: EventType, subject: string): string {
  return `${KIND_BY_EVENT_TYPE[eventType]}${subject}`
}

type RoomKind = keyof typeof ROOM_EVENTS

const isRoomKind = (kind: string): kind is RoomKind => Object.hasOwn(ROOM_EVENTS, kind)

const KIND_BY_EVENT_TYPE = Object.fromEntries(
  Object.entries(ROOM_EVENTS).map(([kind, eventType]) => [eventType, kind]),
) as Record<EventType, RoomKind> // as: the table turned around; each event type stands in it once
