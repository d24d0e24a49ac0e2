import type { UnmeasuredReason } from '../../../contract/series.ts'
import type { createEventTime } from './event-time.ts'

/** How far the server's clock is ahead of this machine's, in ms: bounds. */
export type Ahead = { leastMs: number; mostMs: number }

export type KnownClock = { ahead: Ahead; atMs: number }

export type ServerClock = {
  /** Adds a response: when its request was sent, when it arrived, and its Date and Age headers. */
  observe(response: {
    sentMs: number
    heardMs: number
    date: string | undefined
    age: string | undefined
  }): void
  learn(known: KnownClock): void
  /** Undefined if no recent response had a time. */
  ahead(nowMs: number): Ahead | undefined
}

/** Clocks drift and may be set, so responses of an epoch count until the end of the next. */
const EPOCH_MS = 30_000

const TICK_MS = 1

/**
 * Learns the server's clock from the Date headers of its responses (RFC 9110, section 6.6.1). Date has whole seconds and was
 * written between request and response, so each response gives a span of a second plus its latency; the clock is in the overlap
 * of all spans. A cached response has an old date.
 */
export function createServerClock(): ServerClock {
  let epoch = 0
  let before: Ahead | undefined
  let current: Ahead | undefined

  const goOnTo = (nowMs: number) => {
    const now = Math.floor(nowMs / EPOCH_MS)
    if (now === epoch) return
    before = now === epoch + 1 ? current : undefined
    current = undefined
    epoch = now
  }
  const add = (span: Ahead, atMs: number) => {
    goOnTo(atMs)
    // If the spans do not overlap, one of the clocks was set: earlier responses are void.
    current = overlap(current, span) ?? span
    if (before !== undefined && overlap(before, current) === undefined) before = undefined
  }
  return {
    observe({ sentMs, heardMs, date, age }) {
      const dateMs = Date.parse(date ?? '')
      if (Number.isNaN(dateMs) || age !== undefined) return
      add({ leastMs: dateMs - heardMs - TICK_MS, mostMs: dateMs + 1000 - sentMs }, heardMs)
    },
    learn: ({ ahead, atMs }) => add(ahead, atMs),
    ahead(nowMs) {
      goOnTo(nowMs)
      return current === undefined ? before : overlap(before, current)
    },
  }
}

/** Undefined if they do not overlap; `second` if there is no `first`. */
function overlap(first: Ahead | undefined, second: Ahead): Ahead | undefined {
  if (first === undefined) return second
  const leastMs = Math.max(first.leastMs, second.leastMs)
  const mostMs = Math.min(first.mostMs, second.mostMs)
  return leastMs <= mostMs ? { leastMs, mostMs } : undefined
}

type Tools = { nowMs: () => number; sleep: (ms: number) => void }

/** Longer than a second, so that the Date header changes within. */
const REQUEST_MS = 1100
const EVERY_MS = 20

/** Requests the Date header repeatedly until its second changes, which gives the clock to within two responses. Null without a Date. */
export function measureClock(
  request: () => Parameters<ServerClock['observe']>[0],
  { nowMs, sleep }: Tools,
): KnownClock | null {
  const clock = createServerClock()
  const endMs = nowMs() + REQUEST_MS
  let dates = 0
  for (let before: string | undefined; nowMs() < endMs && dates < 2; sleep(EVERY_MS)) {
    const response = request()
    clock.observe(response)
    if (response.date !== before) dates += 1
    before = response.date
  }
  const atMs = nowMs()
  const ahead = clock.ahead(atMs)
  return ahead === undefined ? null : { ahead, atMs }
}

type DelaySpan = { leastMs: number; mostMs: number }

/** Undefined for a frame that is not an event; a reason if an event's delay is unknown. */
export function delaySpan(options: {
  text: string
  /** Arrival, by this machine's clock. */
  atMs: number
  /** Null: the profile does not state the path of the time in events. */
  parseTime: ReturnType<typeof createEventTime> | null
  ahead: Ahead | undefined
}): DelaySpan | UnmeasuredReason | undefined {
  const { text, atMs, parseTime, ahead } = options
  const timeMs = parseTime === null ? 'no-time-field' : parseTime(text)
  if (typeof timeMs !== 'number') return text.includes('"type"') ? (timeMs ?? 'no-time') : undefined
  if (ahead === undefined) return 'no-clock'
  const mostMs = atMs + ahead.mostMs - timeMs
  // An event cannot arrive before it exists: its time is from another clock.
  if (mostMs < 0) return 'ahead'
  return { leastMs: Math.max(0, atMs + ahead.leastMs - timeMs - readUnit(timeMs)), mostMs }
}

/** The unit that a time was cut to, as far as its zeros show: the event was up to that much later. */
function readUnit(timeMs: number): number {
  return [1000, 100, 10].find((unit) => Math.round(timeMs) % unit === 0) ?? 1
}
