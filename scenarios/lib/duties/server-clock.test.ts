import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServerClock, delaySpan, measureClock } from './server-clock.ts'

/** A response from a server whose clock is `aheadMs` ahead. */
function response(options: {
  sentMs: number
  thereMs: number
  backMs: number
  aheadMs: number
  age?: string
}) {
  const { sentMs, thereMs, backMs, aheadMs, age } = options
  const serverMs = sentMs + thereMs + aheadMs
  const date = new Date(Math.floor(serverMs / 1000) * 1000).toUTCString()
  return { sentMs, heardMs: sentMs + thereMs + backMs, date, age }
}

const requests = fc.array(fc.record({ afterMs: fc.nat(5000), thereMs: fc.nat(300), backMs: fc.nat(300) }), {
  minLength: 1,
  maxLength: 60,
})

test('the clock is always within the reported span', () => {
  fc.assert(
    fc.property(requests, fc.integer({ min: -1e9, max: 1e9 }), (sent, aheadMs) => {
      const clock = createServerClock()
      let nowMs = 1_750_000_000_000
      for (const { afterMs, thereMs, backMs } of sent) {
        const heard = response({ sentMs: nowMs + afterMs, thereMs, backMs, aheadMs })
        clock.observe(heard)
        nowMs = heard.heardMs
        const ahead = clock.ahead(nowMs)
        expect(ahead?.leastMs).toBeLessThanOrEqual(aheadMs)
        expect(ahead?.mostMs).toBeGreaterThanOrEqual(aheadMs)
      }
    }),
  )
})

const START_MS = 1_750_000_000_000

test('the span narrows with each response: to 40 ms after 100 that took 10 ms', () => {
  const clock = createServerClock()
  const widths = Array.from({ length: 100 }, (_, place) => {
    clock.observe(response({ sentMs: START_MS + place * 237, thereMs: 5, backMs: 5, aheadMs: -3_600_000.4 }))
    const ahead = clock.ahead(START_MS + place * 237 + 10)
    return (ahead?.mostMs ?? Number.NaN) - (ahead?.leastMs ?? Number.NaN)
  })
  expect(widths[0]).toBeCloseTo(1011)
  expect(widths.at(-1)).toBeLessThan(40)
  expect(widths).toEqual(widths.toSorted((a, b) => b - a))
})

test.each([
  { what: 'at once', laterMs: 1337 },
  { what: 'half a minute later', laterMs: 30_000 },
  { what: 'after a long pause', laterMs: 150_000 },
])('after the server clock was set, only later responses count: $what', ({ laterMs }) => {
  for (const setBy of [60_000, -60_000, 400, -400]) {
    const clock = createServerClock()
    for (let sentMs = START_MS; sentMs < START_MS + 20_000; sentMs += 237)
      clock.observe(response({ sentMs, thereMs: 5, backMs: 5, aheadMs: 0 }))
    const later = START_MS + 20_000 + laterMs
    for (let sentMs = later; sentMs < later + 5000; sentMs += 237)
      clock.observe(response({ sentMs, thereMs: 5, backMs: 5, aheadMs: setBy }))
    const ahead = clock.ahead(later + 5000)
    expect(ahead?.leastMs).toBeLessThanOrEqual(setBy)
    expect(ahead?.mostMs).toBeGreaterThanOrEqual(setBy)
  }
})

test('responses before a long pause are forgotten, even if they could still be right', () => {
  const clock = createServerClock()
  for (let sentMs = START_MS; sentMs < START_MS + 20_000; sentMs += 237)
    clock.observe(response({ sentMs, thereMs: 5, backMs: 5, aheadMs: 0 }))
  const heard = response({ sentMs: START_MS + 150_000, thereMs: 5, backMs: 5, aheadMs: 400 })
  clock.observe(heard)
  expect(clock.ahead(heard.heardMs)?.mostMs).toBeGreaterThanOrEqual(400)
})

test('a slow clock is followed: old responses are forgotten', () => {
  const clock = createServerClock()
  let aheadMs = 0
  for (let second = 0; second < 600; second += 1) {
    aheadMs -= 2
    const heard = response({ sentMs: START_MS + second * 1013, thereMs: 2, backMs: 2, aheadMs })
    clock.observe(heard)
    const ahead = clock.ahead(heard.heardMs)
    expect(Math.abs((ahead?.mostMs ?? 0) - aheadMs)).toBeLessThan(1200)
  }
})

test.each([
  { what: 'no response', answers: [] },
  {
    what: 'a response without a date',
    answers: [{ sentMs: START_MS, heardMs: START_MS + 5, date: undefined, age: undefined }],
  },
  {
    what: 'an invalid date',
    answers: [{ sentMs: START_MS, heardMs: START_MS + 5, date: 'soon', age: undefined }],
  },
  {
    what: 'a cached response',
    answers: [response({ sentMs: START_MS, thereMs: 5, backMs: 5, aheadMs: 0, age: '7' })],
  },
])('$what shows nothing', ({ answers }) => {
  const clock = createServerClock()
  for (const each of answers) clock.observe(each)
  expect(clock.ahead(START_MS + 10)).toBeUndefined()
})

test('a response counts for half a minute, and for a minute at most', () => {
  const clock = createServerClock()
  clock.observe(response({ sentMs: START_MS, thereMs: 5, backMs: 5, aheadMs: 0 }))
  const known = [10, 29_000, 61_000].map((ms) => clock.ahead(START_MS + ms) !== undefined)
  expect(known).toEqual([true, true, false])
})

describe('measure clock', () => {
  /** Requests from a server that far ahead, in the time of the test. */
  function requested(options: {
    startMs: number
    aheadMs: number
    thereMs: number
    backMs: number
    date?: string
  }) {
    const { aheadMs, thereMs, backMs } = options
    let now = options.startMs
    let count = 0
    const sleep = (ms: number) => {
      now += ms
    }
    const known = measureClock(
      () => {
        count += 1
        const sentMs = now
        const second = Math.floor((now + thereMs + aheadMs) / 1000)
        now += thereMs + backMs
        const date = 'date' in options ? options.date : new Date(second * 1000).toUTCString()
        return { sentMs, heardMs: now, date, age: undefined }
      },
      { nowMs: () => now, sleep },
    )
    return { known, count, tookMs: now - options.startMs }
  }

  const START_MS = 1_750_000_000_000

  test('measures the clock to within two responses, in about a second', () => {
    const options = fc.record({
      startMs: fc.integer({ min: START_MS, max: START_MS + 60_000 }),
      aheadMs: fc.integer({ min: -1e9, max: 1e9 }),
      thereMs: fc.nat(40),
      backMs: fc.nat(40),
    })
    fc.assert(
      fc.property(options, (given) => {
        const { known, count, tookMs } = requested(given)
        const { leastMs, mostMs } = known?.ahead ?? { leastMs: Number.NaN, mostMs: Number.NaN }
        expect(leastMs).toBeLessThanOrEqual(given.aheadMs)
        expect(mostMs).toBeGreaterThanOrEqual(given.aheadMs)
        expect(mostMs - leastMs).toBeLessThanOrEqual(20 + 2 * (given.thereMs + given.backMs) + 1)
        expect([count < 60, tookMs < 1300]).toEqual([true, true])
      }),
    )
  })

  test('without a time in the responses, it ends with no result', () => {
    const { known, tookMs } = requested({
      startMs: START_MS,
      aheadMs: 0,
      thereMs: 5,
      backMs: 5,
      date: 'no date',
    })
    expect([known, tookMs < 1300]).toEqual([null, true])
  })
})

const EVENT = '{"type":"Trade","data":{}}'
const AHEAD = { leastMs: -20, mostMs: 30 }

test.each<{
  what: string
  options: Partial<Parameters<typeof delaySpan>[0]>
  span: ReturnType<typeof delaySpan>
}>([
  { what: 'an event', options: {}, span: { leastMs: 78, mostMs: 129 } },
  {
    what: 'one with a time in whole seconds',
    options: { atMs: 2900, parseTime: () => 1000 },
    span: { leastMs: 880, mostMs: 1930 },
  },
  {
    what: 'one with a time in tenths of a second',
    options: { atMs: 1600, parseTime: () => 1099.9999 },
    span: { leastMs: expect.closeTo(380), mostMs: expect.closeTo(530) },
  },
  {
    what: 'one whose second had not ended',
    options: { atMs: 1900, parseTime: () => 1000 },
    span: { leastMs: 0, mostMs: 930 },
  },
  {
    what: 'one hardly older than the precision of the clocks',
    options: { atMs: 1011 },
    span: { leastMs: 0, mostMs: 40 },
  },
  { what: 'one from the future', options: { atMs: 970 }, span: 'ahead' },
  { what: 'one without a time', options: { parseTime: () => undefined }, span: 'no-time' },
  {
    what: 'one of a target whose profile does not state where',
    options: { parseTime: null },
    span: 'no-time-field',
  },
  {
    what: 'one of a type for which the profile does not state where',
    options: { parseTime: () => 'no-time-field' },
    span: 'no-time-field',
  },
  {
    what: 'a control of a target with a path for some types',
    options: { text: '{"control":"x"}', parseTime: () => 'no-time-field' },
    span: undefined,
  },
  { what: 'one before the clock is known', options: { ahead: undefined }, span: 'no-clock' },
  {
    what: 'a control',
    options: { text: '{"control":"synchronized"}', parseTime: () => undefined },
    span: undefined,
  },
  {
    what: 'a control without a time',
    options: { text: '{"control":"x"}', parseTime: null },
    span: undefined,
  },
])('$what', ({ options, span }) => {
  expect(
    delaySpan({
      text: EVENT,
      atMs: 1100,
      parseTime: () => 1001,
      ahead: AHEAD,
      ...options,
    }),
  ).toEqual(span)
})
