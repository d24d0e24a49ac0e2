import { expect, test } from 'vitest'
import { ROOM_EVENTS } from '../../../contract/room-events.ts'
import { parseRoom, roomName } from './events.ts'

test.each(Object.entries(ROOM_EVENTS))('parses and formats the room name %s', (kind, eventType) => {
  const subject = kind.endsWith(':') ? 'key/1:ü' : ''
  expect(parseRoom(`${kind}${subject}`)).toEqual({ eventType, subject })
  expect(roomName(eventType, subject)).toBe(`${kind}${subject}`)
})

test.each([
  '',
  ':',
  'pool_stats',
  'pool_stats:',
  'pool_launches:',
  'pool_launches:key',
  'protocol_config:x',
  'POOL_LAUNCHES',
  ' pool_launches',
  'trade:key',
  'toString',
  'constructor:x',
  '__proto__',
])('rejects the unknown room %j', (name) => {
  expect(parseRoom(name)).toBeUndefined()
})
