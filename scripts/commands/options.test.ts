import { expect, test } from 'vitest'
import { durationOption } from './options.ts'

const seconds = durationOption('--warm-up', 'Warm up', { min: '0s', max: '36h', default: '2s' })
const ms = durationOption('--lag', 'Lag', { min: '1ms', max: '30s', unit: 'ms', example: '800ms' })

test('has the placeholder <duration>, and shows its default as a duration', () => {
  expect([seconds.flags, seconds.defaultValue, seconds.defaultValueDescription]).toEqual([
    '--warm-up <duration>',
    2,
    '2s',
  ])
  expect(ms.defaultValue).toBeUndefined()
})

test.each([
  ['0s', 0],
  ['60s', 60],
  ['2000ms', 2],
  ['1h30m', 5400],
  ['1m30s500ms500ms', 91],
  ['1d12h', 129_600],
])('parses %s into %i seconds', (text, expected) => {
  expect(seconds.parseArg?.(text, undefined)).toBe(expected)
})

test.each([
  ['1ms', 1],
  ['1s500ms', 1500],
  ['30s', 30_000],
])('parses %s into %i milliseconds', (text, expected) => {
  expect(ms.parseArg?.(text, undefined)).toBe(expected)
})

test.each(['', ' 5s', '5 s', '-5s', '5S', '1.5s', 's', '500ms', '37h', '1e1s', '5µs', 'soon'])(
  'rejects %j',
  (text) => {
    expect(() => seconds.parseArg?.(text, undefined)).toThrow(
      /^Expected a duration from 0s to 36h in whole seconds, such as 2s\.$/,
    )
  },
)

test.each(['0', '60', '1.5'])('reports the missing unit of %s', (text) => {
  expect(() => ms.parseArg?.(text, undefined)).toThrow(
    /^Add a unit\. Expected a duration from 1ms to 30s, such as 800ms\.$/,
  )
})
