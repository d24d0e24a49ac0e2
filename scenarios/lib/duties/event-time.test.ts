import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pick } from '../pick.ts'
import { createEventTime, parseExpiry, parseTime } from './event-time.ts'

const AT_MS = Date.UTC(2025, 0, 2, 3, 4, 5, 6)

test.each<{ value: unknown; format: Parameters<typeof parseTime>[1]; ms: number | undefined }>([
  { value: '2025-01-02T03:04:05.006Z', format: 'iso8601', ms: AT_MS },
  { value: '2025-01-02t03:04:05.006z', format: 'iso8601', ms: AT_MS },
  { value: '2025-01-02 03:04:05.006000+00', format: 'iso8601', ms: AT_MS },
  { value: '2025-01-02T05:34:05.006789123+02:30', format: 'iso8601', ms: AT_MS },
  { value: '2025-01-01T19:04:05.006-0800', format: 'iso8601', ms: AT_MS },
  { value: '2025-01-02T03:04:05Z', format: 'iso8601', ms: AT_MS - 6 },
  { value: '2025-01-02T03:04:05.1Z', format: 'iso8601', ms: AT_MS + 94 },
  { value: '2025-01-02T03:04:05.006', format: 'iso8601', ms: undefined },
  { value: '2025-13-02T03:04:05Z', format: 'iso8601', ms: undefined },
  { value: AT_MS, format: 'iso8601', ms: undefined },
  { value: AT_MS, format: 'epoch-millis', ms: AT_MS },
  { value: String(AT_MS), format: 'epoch-millis', ms: AT_MS },
  { value: AT_MS / 1000, format: 'epoch-seconds', ms: AT_MS },
  { value: '1735787045.006', format: 'epoch-seconds', ms: AT_MS },
  { value: '0x10', format: 'epoch-millis', ms: undefined },
  { value: '', format: 'epoch-millis', ms: undefined },
  { value: null, format: 'epoch-millis', ms: undefined },
])('$value as $format', ({ value, format, ms }) => {
  expect(parseTime(value, format)).toBe(ms)
})

const TIME = '2025-01-02T03:04:05.006Z'
const readTime = createEventTime('data.timestamp', 'iso8601')

test.each([
  { what: 'as it comes', text: `{"type":"Trade","data":{"id":"1","timestamp":"${TIME}"}}` },
  { what: 'with white space', text: `{ "data" : { "timestamp" :\n "${TIME}" } }` },
  { what: 'next to another field of that name', text: `{"timestamp":1,"data":{"timestamp":"${TIME}"}}` },
  { what: 'next to a string equal to its name', text: `{"data":{"kind":"timestamp","timestamp":"${TIME}"}}` },
  {
    what: 'next to a string that quotes it',
    text: `{"data":{"x":"\\"timestamp\\":0","timestamp":"${TIME}"}}`,
  },
])('finds a time $what', ({ text }) => {
  expect(readTime(text)).toBe(AT_MS)
})

test.each(['{"control":"synchronized"}', '{"data":{"timestamp":null}}', '{"timestamp', '', 'timestamp'])(
  'finds none in %s',
  (text) => {
    expect(readTime(text)).toBeUndefined()
  },
)

test.each([
  [`{"type":"Trade","data":{"executed_at":"${TIME}","ts":"2020-01-01T00:00:00Z"}}`, AT_MS],
  [`{"data":{"ts":"${TIME}","type":"Trade"},"type":"PoolStats"}`, AT_MS],
  [`{"type":"ProtocolConfigChanged","data":{"ts":"${TIME}"}}`, 'no-time-field'],
  ['{"type":"Trade","data":{}}', undefined],
  ['{"control":"synchronized"}', undefined],
])('by event type, in %s', (text, ms) => {
  const paths = { Trade: 'data.executed_at', ProtocolConfigChanged: null, '*': 'data.ts' }
  expect(createEventTime(paths, 'iso8601')(text)).toBe(ms)
})

test('without a path for all other types, an event of another type has none', () => {
  const read = createEventTime({ Trade: 'data.ts' }, 'iso8601')
  expect(read(`{"type":"Trade","data":{"ts":"${TIME}"}}`)).toBe(AT_MS)
  expect(read(`{"type":"PoolStats","data":{"ts":"${TIME}"}}`)).toBe('no-time-field')
})

test('the search finds the same time as parsing the event', () => {
  const value = fc.oneof(
    fc.constant(TIME),
    fc.constant('timestamp'),
    fc.string(),
    fc.integer(),
    fc.constant(null),
  )
  const fields = fc.dictionary(fc.constantFrom('timestamp', 'id', '"timestamp"', 'x'), value, { maxKeys: 3 })
  const event = fc.record({ type: fc.constant('Trade'), data: fields, more: fields })
  fc.assert(
    fc.property(event, fc.constantFrom(0, 2), (body, indent) => {
      // The search cannot distinguish a name that occurs once, but elsewhere than at the path.
      fc.pre('timestamp' in body.data || !JSON.stringify(body).includes('"timestamp"'))
      const parsed = parseTime(pick(body, 'data.timestamp'), 'iso8601')
      expect(readTime(JSON.stringify(body, null, indent))).toBe(parsed)
    }),
  )
})

const AT = Date.UTC(2025, 0, 2, 3, 4, 5)

test.each([
  ['rfc3339', '2025-01-02T03:04:05Z', AT],
  ['rfc3339', '2025-01-02T03:04:05.0069Z', AT + 6],
  ['rfc3339', '2025-01-02t03:04:05.5z', AT + 500],
  ['rfc3339', '2025-01-02 04:34:05.006000+01:30', AT + 6],
  ['epoch-seconds', '1735787045', AT],
  ['epoch-seconds', 1735787045, AT],
  ['epoch-seconds', 1735787045.25, AT + 250],
  ['epoch-millis', 1735787045006, AT + 6],
  ['epoch-millis', '1735787045006', AT + 6],
] as const)('%s: %j', (format, value, atMs) => {
  expect(parseExpiry(value, format)).toBe(atMs)
})

test.each([
  ['rfc3339', 1735787045],
  ['rfc3339', 'Thu, 02 Jan 2025 03:04:08 GMT'],
  ['rfc3339', '2025-13-45T03:04:05Z'],
  ['rfc3339', null],
  ['epoch-seconds', '2025-01-02T03:04:05Z'],
  ['epoch-seconds', ''],
  ['epoch-millis', { at: 1 }],
  ['epoch-millis', undefined],
] as const)('%s: %j has another format', (format, value) => {
  expect(parseExpiry(value, format)).toBeUndefined()
})
