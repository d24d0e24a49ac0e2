import { expect, test } from 'vitest'
import { delaySpan } from './delay-span.ts'

const EVENT = '{"type":"Trade","data":{}}'
const AHEAD = { leastMs: -20, mostMs: 30 }

test.each<{
  what: string
  options: Partial<Parameters<typeof delaySpan>[0]>
  span: ReturnType<typeof delaySpan>
}>([
  { what: 'an event', options: {}, span: { leastMs: 80, mostMs: 130 } },
  {
    what: 'one that is hardly older than the clocks tell',
    options: { atMs: 1010 },
    span: { leastMs: 0, mostMs: 40 },
  },
  { what: 'one from the future', options: { atMs: 969 }, span: 'ahead' },
  { what: 'one that bears no time', options: { timeOf: () => undefined }, span: 'no-time' },
  { what: 'one of a target that does not tell where', options: { timeOf: null }, span: 'untold' },
  { what: 'one before the clock is known', options: { ahead: undefined }, span: 'no-clock' },
  {
    what: 'a control',
    options: { text: '{"control":"synchronized"}', timeOf: () => undefined },
    span: undefined,
  },
  {
    what: 'a control where no time is told',
    options: { text: '{"control":"x"}', timeOf: null },
    span: undefined,
  },
])('$what', ({ options, span }) => {
  expect(delaySpan({ text: EVENT, atMs: 1100, timeOf: () => 1000, ahead: AHEAD, ...options })).toEqual(span)
})
