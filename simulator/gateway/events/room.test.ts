import { expect, test } from 'vitest'
import { ROOM_EVENTS } from '../../../contract/schemas/feed.ts'
import { parseRoom, roomName } from './events.ts'

test.each(Object.entries(ROOM_EVENTS))(
  'reads the name of a room %s and writes it again',
  (kind, eventType) => {
    const subject = kind.endsWith(':') ? 'key/1:ü' : ''
    expect(parseRoom(`${kind}${subject}`)).toEqual({ eventType, subject })
    expect(roomName(eventType, subject)).toBe(`${kind}${subject}`)
  },
)

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
])('knows no room %j', (name) => {
  expect(parseRoom(name)).toBeUndefined()
})
