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
