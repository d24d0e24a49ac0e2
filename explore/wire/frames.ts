/** Frames of a socket: the shape of events, exact values, rooms that were never joined, and repeated trades (Events). */
import { at } from '../../client/exchange.ts'
import { findInexact } from '../../contract/exact-fields.ts'
import type { Choices } from '../../contract/profile.ts'
import { findEventPath, listChangeProblems, normalizeRoom, ROOM_EVENTS } from '../../contract/room-events.ts'
import { configChangedSchema, eventSchema } from '../../contract/schemas/wire.ts'
import { validate } from '../../contract/validate.ts'
import type { Problem } from './endpoint.ts'

export type FrameCheck = { sent(text: string): void; received(text: string): Problem[] }

const ROOMS = new Map<unknown, string>(Object.entries(ROOM_EVENTS).map(([room, type]) => [type, room]))

export function createFrameCheck({ events }: Pick<Choices, 'events'>): FrameCheck {
  /** Never shrinks: an event that was sent before its room was left may still arrive. */
  const joined = new Set<string>()
  const trades = new Set<string>()
  let isResynced = false

  const comesAgain = (frame: unknown, text: string): boolean => {
    // Without an id and a pool, two equal trades may be different ones.
    const isNamed = [events.id, events.pool].every(
      (paths) => at(frame, findEventPath(paths, 'Trade')) !== undefined,
    )
    if (at(frame, 'type') !== 'Trade' || !isNamed) return false
    const isAgain = trades.has(text)
    trades.add(text)
    return isAgain && !isResynced
  }
  const isForeign = (frame: unknown, room: string): boolean => {
    if (!room.endsWith(':')) return !joined.has(room)
    const paths = room === 'balances:' ? events.address : events.pool
    const subject = at(frame, findEventPath(paths, at(frame, 'type')))
    if (typeof subject === 'string') return !joined.has(normalizeRoom(room + subject))
    return ![...joined].some((each) => each.startsWith(room))
  }
  return {
    sent(text) {
      const frame = parse(text)
      const room = at(frame, 'room')
      if (at(frame, 'action') === 'subscribe' && typeof room === 'string') joined.add(normalizeRoom(room))
    },
    received(text) {
      const frame = parse(text)
      if (at(frame, 'control') === 'resync_required') isResynced = true
      const type = at(frame, 'type')
      const room = ROOMS.get(type)
      // Frames of other types are not specified: they may be about an error.
      if (room === undefined || at(frame, 'control') !== undefined) return []
      const problems: Problem[] = [
        ...list('ws.event.shape', validate(eventSchema, frame).problems),
        ...list('ws.event.exact-values', findInexact(at(frame, 'data'))),
        ...(type === 'ProtocolConfigChanged' ? listConfigProblems(frame, events.changes) : []),
      ]
      if (isForeign(frame, room))
        problems.push({ rule: 'ws.rooms.only-subscribed', problem: 'an event of a room that was not joined' })
      if (comesAgain(frame, text))
        problems.push({ rule: 'ws.delivery.at-most-once', problem: 'a trade that came before' })
      return problems.map(({ rule, problem }) => ({ rule, problem: `${type}: ${problem}` }))
    },
  }
}

function list(rule: string, problems: readonly string[] | null): Problem[] {
  return (problems ?? []).map((problem) => ({ rule, problem }))
}

function listConfigProblems(frame: unknown, path: string | null): Problem[] {
  const problems = validate(configChangedSchema, frame).problems ?? []
  const changes = path === null ? [] : listChangeProblems(at(frame, path), path)
  return list('ws.event.config', [...problems, ...changes])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
