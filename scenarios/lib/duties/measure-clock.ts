import { createServerClock, type KnownClock, type ServerClock } from './server-clock.ts'

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
