import type { WhyUnmeasured } from '../../../contract/series.ts'

/** How far the server’s clock is ahead of that of this machine, in ms, at the least and at the most. */
export type Ahead = { leastMs: number; mostMs: number }

/** What was known of it at some time of this machine’s clock. */
export type KnownClock = { ahead: Ahead; atMs: number }

export type ServerClock = {
  /** Of an answer: when it was asked for, when it was there, and what its headers Date and Age say. */
  told(answer: { sentMs: number; heardMs: number; date: string | undefined; age: string | undefined }): void
  /** What somebody else has learnt of it. */
  learn(known: KnownClock): void
  /** Undefined: no answer has told it lately. */
  ahead(nowMs: number): Ahead | undefined
}

/** Clocks drift, and may be set: what was told in an epoch counts in the next, and then no more. */
const EPOCH_MS = 30_000

/** Of Date.now(), which tells whole milliseconds. */
const TICK_MS = 1

/**
 * Learns the server’s clock from the header Date of its answers (RFC 9110, section 6.6.1), which tells whole seconds: it
 * was written between the request and the answer, so each answer leaves a span of a second and the time it took, and where
 * the spans of several overlap the clock must be. An answer out of a cache has an old date.
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
    // Where they do not overlap, one of the clocks was set: what was told before is no use.
    current = overlap(current, span) ?? span
    if (before !== undefined && overlap(before, current) === undefined) before = undefined
  }
  return {
    told({ sentMs, heardMs, date, age }) {
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

/** Undefined where the two do not overlap; the second where there is no first. */
function overlap(first: Ahead | undefined, second: Ahead): Ahead | undefined {
  if (first === undefined) return second
  const leastMs = Math.max(first.leastMs, second.leastMs)
  const mostMs = Math.min(first.mostMs, second.mostMs)
  return leastMs <= mostMs ? { leastMs, mostMs } : undefined
}

type Tools = { nowMs: () => number; sleep: (ms: number) => void }

/** Longer than a second, so that the server’s clock goes over to the next one within. */
const ASK_MS = 1100
const EVERY_MS = 20

/**
 * Asks for the header Date again and again, until it goes over to the next second: that tells the server’s clock as closely as two
 * answers are apart. Null where nothing tells it.
 */
export function measureClock(
  ask: () => Parameters<ServerClock['told']>[0],
  { nowMs, sleep }: Tools,
): KnownClock | null {
  const clock = createServerClock()
  const endMs = nowMs() + ASK_MS
  let dates = 0
  for (let before: string | undefined; nowMs() < endMs && dates < 2; sleep(EVERY_MS)) {
    const answer = ask()
    clock.told(answer)
    if (answer.date !== before) dates += 1
    before = answer.date
  }
  const atMs = nowMs()
  const ahead = clock.ahead(atMs)
  return ahead === undefined ? null : { ahead, atMs }
}

/** How long an event took, in ms: at the least and at the most. */
type DelaySpan = { leastMs: number; mostMs: number }

/** Undefined for a frame that is no event; a reason where the delay of an event cannot be told. */
export function delaySpan(options: {
  text: string
  /** When it came, by this machine’s clock. */
  atMs: number
  /** Null: the profile does not tell where an event bears its time. */
  timeOf: ((text: string) => number | undefined) | null
  ahead: Ahead | undefined
}): DelaySpan | WhyUnmeasured | undefined {
  const { text, atMs, timeOf, ahead } = options
  const timeMs = timeOf?.(text)
  if (timeMs === undefined) {
    if (!text.includes('"type"')) return undefined
    return timeOf === null ? 'untold' : 'no-time'
  }
  if (ahead === undefined) return 'no-clock'
  const mostMs = atMs + ahead.mostMs - timeMs
  // Nothing is heard before it has come to be: the event bears a time of another clock.
  if (mostMs < 0) return 'ahead'
  return { leastMs: Math.max(0, atMs + ahead.leastMs - timeMs), mostMs }
}
